//! What holds for all types and all bytes.

use proptest::collection::vec;
use proptest::prelude::*;
use recask_core::Code;
use recask_core::dtype::{DType, FieldSpec, TimeUnit, Unit};
use recask_core::format::identity::Identity;
use recask_core::shape::Shape;

fn scalar() -> impl Strategy<Value = DType> {
    let number = prop::sample::select(vec![
        "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "f16", "c8", "c16", "c32",
        "M8", "m8",
    ]);
    let ordered = (prop::sample::select(vec!["<", ">"]), number)
        .prop_map(|(order, number)| DType::parse(&format!("{order}{number}")).unwrap());
    let time = (0u32..i32::MAX.unsigned_abs(), prop::sample::select(Unit::ALL.to_vec()), any::<bool>())
        .prop_map(|(multiple, unit, is_point)| {
            let unit = Some(TimeUnit::new(multiple, unit).unwrap());
            if is_point { DType::datetime(unit) } else { DType::timedelta(unit) }
        });
    let sized = (0u32..1 << 29, 0..3).prop_map(|(width, kind)| {
        match kind {
            0 => DType::bytes(width),
            1 => DType::text(width),
            _ => DType::void(width),
        }
        .unwrap()
    });
    prop_oneof![ordered, time, sized]
}

fn field(position: usize, dtype: DType, label: &str, extents: Vec<u64>, variant: u8) -> FieldSpec {
    let spec = FieldSpec::new(format!("{label}{position}"), dtype).shape(extents);
    match variant {
        0 => spec.title(format!("title {label}{position}")),
        1 => FieldSpec::padding(position as u64 * 1000),
        _ => spec,
    }
}

fn dtype() -> impl Strategy<Value = DType> {
    scalar().prop_recursive(4, 24, 5, |inner| {
        vec((inner, any::<String>(), vec(0u64..20, 0..3), 0u8..6), 0..5).prop_map(|fields| {
            let specs = fields.into_iter().enumerate();
            DType::structure(
                specs.map(|(i, (dtype, label, extents, variant))| field(i, dtype, &label, extents, variant)),
            )
            .unwrap()
        })
    })
}

proptest! {
    #[test]
    fn the_canonical_spelling_is_read_back(dtype in dtype()) {
        prop_assert_eq!(DType::parse(&dtype.to_string()).unwrap(), dtype);
    }

    #[test]
    fn identities_are_read_back(dtype in dtype(), extents in vec(any::<u64>(), 0..20)) {
        let ragged = Identity::Ragged { dtype: dtype.clone() };
        prop_assert_eq!(Identity::decode_ragged(&ragged.encode()).unwrap(), ragged);
        let dense = Identity::Dense { dtype, item_shape: Shape::from(extents) };
        prop_assert_eq!(Identity::decode_dense(&dense.encode()).unwrap(), dense);
    }

    #[test]
    fn a_cut_identity_is_refused(dtype in dtype(), cut in any::<prop::sample::Index>()) {
        let bytes = Identity::Ragged { dtype }.encode();
        let error = Identity::decode_ragged(&bytes[..cut.index(bytes.len())]).unwrap_err();
        prop_assert_eq!(error.code(), Code::CorruptIdentity);
    }

    #[test]
    fn any_bytes_are_an_identity_or_an_error(bytes in vec(any::<u8>(), 0..200)) {
        for answer in [Identity::decode_dense(&bytes), Identity::decode_ragged(&bytes)] {
            if let Err(error) = answer {
                prop_assert_eq!(error.code(), Code::CorruptIdentity);
            }
        }
    }

    #[test]
    fn a_changed_identity_is_an_identity_or_an_error(
        dtype in dtype(),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..5),
    ) {
        let mut bytes = Identity::Dense { dtype, item_shape: Shape::from([3, 300]) }.encode();
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        match Identity::decode_dense(&bytes) {
            // What was accepted has a spelling of its own that means the same.
            Ok(identity) => prop_assert_eq!(Identity::decode_dense(&identity.encode()).unwrap(), identity),
            Err(error) => prop_assert_eq!(error.code(), Code::CorruptIdentity),
        }
    }

    #[test]
    fn any_text_is_a_type_or_an_error(text in any::<String>(), literal in "[\\[\\]\\(\\)',\"0-9a-z<>|\\\\ ]{0,40}") {
        for text in [text, literal] {
            match DType::parse(&text) {
                Ok(dtype) => prop_assert_eq!(DType::parse(&dtype.to_string()).unwrap(), dtype),
                Err(error) => prop_assert_eq!(error.code(), Code::InvalidDType),
            }
        }
    }
}
