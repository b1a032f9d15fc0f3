//! Typed slices over the bytes of records.

use half::f16;
use num_complex::Complex;
use recask_core::Code;
use recask_core::dtype::{DType, Element, bytes_of_slice, cast_slice, to_vec};

/// Two values per type, whose bytes have to come back as the same values.
fn comes_back<T: Element + PartialEq + core::fmt::Debug>(spelling: &str, values: [T; 2]) {
    let native = if cfg!(target_endian = "little") { "<" } else { ">" };
    assert_eq!(T::DTYPE, DType::parse(&spelling.replace('<', native)).unwrap());
    let bytes = bytes_of_slice(&values);
    assert_eq!(cast_slice::<T>(&T::DTYPE, bytes).unwrap(), values);
    assert_eq!(to_vec::<T>(&T::DTYPE, bytes).unwrap(), values);
    let mut shifted = vec![0];
    shifted.extend_from_slice(bytes);
    assert_eq!(to_vec::<T>(&T::DTYPE, &shifted[1..]).unwrap(), values);
    assert!(cast_slice::<T>(&T::DTYPE, &[]).unwrap().is_empty());
    if size_of::<T>() > 1 {
        assert_eq!(cast_slice::<T>(&T::DTYPE, &bytes[1..]).unwrap_err().code(), Code::BufferSize);
    }
}

#[test]
fn every_element_comes_back_from_its_bytes() {
    comes_back("|b1", [true, false]);
    comes_back("|i1", [-1i8, 2]);
    comes_back("<i2", [-1i16, 2]);
    comes_back("<i4", [-1i32, 2]);
    comes_back("<i8", [-1i64, 2]);
    comes_back("|u1", [1u8, 255]);
    comes_back("<u2", [1u16, 256]);
    comes_back("<u4", [1u32, 1 << 20]);
    comes_back("<u8", [1u64, 1 << 40]);
    comes_back("<f2", [f16::from_f32(1.5), f16::MAX]);
    comes_back("<f4", [1.5f32, -0.25]);
    comes_back("<f8", [1.5f64, -0.25]);
    comes_back("<c8", [Complex::new(1.5f32, 2.0), Complex::new(0.0, -1.0)]);
    comes_back("<c16", [Complex::new(1.5f64, 2.0), Complex::new(0.0, -1.0)]);
}

#[test]
fn times_are_seen_as_their_ticks() {
    let order = if cfg!(target_endian = "little") { '<' } else { '>' };
    for name in ["M8[ns]", "m8[25us]", "M8"] {
        let dtype = DType::parse(&format!("{order}{name}")).unwrap();
        assert_eq!(cast_slice::<i64>(&dtype, bytes_of_slice(&[-5i64, 7])).unwrap(), [-5, 7]);
        assert_eq!(cast_slice::<u64>(&dtype, &[0; 8]).unwrap_err().code(), Code::DTypeMismatch);
    }
}

#[test]
fn other_kinds_widths_and_orders_are_refused_by_name() {
    let foreign = if cfg!(target_endian = "little") { ">f4" } else { "<f4" };
    for stored in ["<i4", "<u4", "<f8", "S4", "V4", "U1", "[('a', '<f4')]", foreign] {
        let dtype = DType::parse(stored).unwrap();
        let error = cast_slice::<f32>(&dtype, &[0; 8]).unwrap_err();
        assert_eq!(error.code(), Code::DTypeMismatch, "{stored}");
        assert!(error.message().contains(&dtype.to_string()), "{error}");
        assert_eq!(to_vec::<f32>(&dtype, &[0; 8]).unwrap_err().code(), Code::DTypeMismatch, "{stored}");
    }
    let swapped = cast_slice::<f32>(&DType::parse(foreign).unwrap(), &[0; 8]).unwrap_err();
    assert!(swapped.message().contains("swap"), "{swapped}");
}

#[test]
fn unaligned_bytes_are_refused_with_advice() {
    let aligned = [0u64; 2];
    let bytes = &bytes_of_slice(&aligned)[1..9];
    let error = cast_slice::<u64>(&u64::DTYPE, bytes).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert!(error.message().contains("to_vec"), "{error}");
}

#[test]
fn a_byte_that_is_no_bool_is_damage() {
    assert_eq!(cast_slice::<bool>(&DType::BOOL, &[0, 1, 2]).unwrap_err().code(), Code::CorruptRecord);
    assert_eq!(to_vec::<bool>(&DType::BOOL, &[255]).unwrap_err().code(), Code::CorruptRecord);
}
