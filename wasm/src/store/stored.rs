//! Records of raw stores, which are their stored bytes: JavaScript copies them from where they are to where they belong, and this
//! module only says where that is. `undefined` is the answer wherever something is wrong: reading the records then says what.

use js_sys::{Float64Array, Object};
use recask_core::Result;
use recask_core::format::zrecord::{CodecKind, Entry, shape_record};
use recask_core::plan::ReadRange;
use recask_core::storage::FileId;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::RawStore;
use crate::answer::{Fallible, object};
use crate::numbers::count;
use crate::values;

#[wasm_bindgen]
impl RawStore {
    /// Bytes of one table entry.
    #[wasm_bindgen(getter, js_name = entryBytes)]
    #[must_use]
    pub fn entry_bytes(&self) -> f64 {
        f64::from(Entry::LEN)
    }

    /// Segment and offset of the table entries of records: one of a dense record, two of a ragged one.
    #[wasm_bindgen(js_name = entryPlaces)]
    pub fn entry_places(&self, index: &JsValue) -> Fallible<Option<Float64Array>> {
        let found = (|| {
            let (store, records) = (self.try_engine()?, self.records(index)?);
            // Before anything is fetched.
            crate::limit::check(store.record_bytes().saturating_mul(records.len() as u64))?;
            let is_raw = store.codec().kind() == CodecKind::Raw;
            Ok(if is_raw { Some(places(&store.table_reads(&records)?)) } else { None })
        })();
        self.answer(found)
    }

    /// Chunk and offset of dense records, from their table entries one after the other.
    #[wasm_bindgen(js_name = densePlaces)]
    pub fn dense_places(&self, index: &JsValue, entries: &[u8]) -> Fallible<Option<Float64Array>> {
        let found = self.stored(index, entries).map(|reads| {
            let size = self.dense().map_or(0, |store| store.store().record_bytes());
            let reads = reads.filter(|reads| reads.iter().all(|read| u64::from(read.len) == size));
            reads.map(|reads| places(&reads))
        });
        self.answer(found)
    }

    /// Where the values and the shapes of ragged records are, and where each begins and ends once they are packed.
    #[wasm_bindgen(js_name = raggedPlaces)]
    pub fn ragged_places(&self, index: &JsValue, entries: &[u8]) -> Fallible<Option<Object>> {
        let found = self.stored(index, entries).map(|reads| {
            let reads = reads?;
            let part =
                |part: usize| -> Vec<ReadRange> { reads.iter().skip(part).step_by(2).copied().collect() };
            let (packed, shapes) = (part(0), part(1));
            Some(object([
                ("values", places(&packed).into()),
                ("valueBounds", bounds(&packed)),
                ("shapes", places(&shapes).into()),
                ("shapeBounds", bounds(&shapes)),
            ]))
        });
        self.answer(found)
    }

    /// Offsets, extents and ranks, as `gatherRagged` has them, from packed shapes.
    #[wasm_bindgen(js_name = raggedLayout)]
    pub fn ragged_layout(
        &self,
        value_bounds: &[f64],
        shape_bounds: &[f64],
        shapes: &[u8],
    ) -> Fallible<Option<Object>> {
        let layout = Layout::of(self.engine()?.dtype().itemsize(), value_bounds, shape_bounds, shapes);
        Ok(layout.map(|Layout { offsets, extents, ranks }| {
            object([
                ("offsets", values::numbers(&offsets)),
                ("extents", values::numbers(&extents)),
                ("ranks", values::bytes(&ranks)),
            ])
        }))
    }
}

impl RawStore {
    /// The stored bytes of records, unless some entry is impossible.
    fn stored(&self, index: &JsValue, entries: &[u8]) -> Result<Option<Vec<ReadRange>>> {
        let (store, records) = (self.try_engine()?, self.records(index)?);
        let payload = store.payload_of(&records, entries)?;
        crate::limit::check(payload.decoded_bytes)?;
        Ok((payload.reads.len() == entries.len() / Entry::SIZE).then_some(payload.reads))
    }
}

struct Layout {
    offsets: Vec<u64>,
    extents: Vec<u64>,
    ranks: Vec<u8>,
}

impl Layout {
    fn of(itemsize: u64, value_bounds: &[f64], shape_bounds: &[f64], mut shapes: &[u8]) -> Option<Self> {
        let mut layout = Layout { offsets: vec![0], extents: Vec::new(), ranks: Vec::new() };
        for (value, shape) in value_bounds.windows(2).zip(shape_bounds.windows(2)) {
            let (payload, len) = (between(value)?, between(shape)?);
            let rank = shape_record::rank_of(len).ok()?;
            let bytes = shapes.split_off(..usize::try_from(len).ok()?)?;
            let first = layout.extents.len();
            layout.extents.resize(first.checked_add(rank)?, 0);
            shape_record::decode(bytes, itemsize, payload, layout.extents.get_mut(first..)?).ok()?;
            let elements = u64::from(payload).checked_div(itemsize)?;
            layout.offsets.push(layout.offsets.last()?.checked_add(elements)?);
            layout.ranks.push(u8::try_from(rank).ok()?);
        }
        Some(layout)
    }
}

/// How many bytes two bounds have between them.
fn between(bounds: &[f64]) -> Option<u32> {
    let [start, end] = bounds else { return None };
    let len = end - start;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked just before")]
    (len.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&len)).then_some(len as u32)
}

/// The number of the file, and the offset.
fn places(reads: &[ReadRange]) -> Float64Array {
    let pairs = reads.iter().flat_map(|read| match read.file {
        FileId::Chunk(number) | FileId::Loc(number) => [f64::from(number), count(read.offset)],
        _ => [0.0, 0.0],
    });
    let pairs: Vec<f64> = pairs.collect();
    Float64Array::from(pairs.as_slice())
}

/// Where each begins when they lie one after the other, and where the last ends.
fn bounds(reads: &[ReadRange]) -> JsValue {
    let mut end = 0u64;
    let ends = reads.iter().map(|read| {
        end = end.saturating_add(u64::from(read.len));
        end
    });
    let bounds: Vec<u64> = std::iter::once(0).chain(ends).collect();
    values::numbers(&bounds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes(dims: &[&[u64]]) -> (Vec<u8>, Vec<f64>) {
        let (mut bytes, mut bounds) = (Vec::new(), vec![0.0]);
        for dims in dims {
            shape_record::encode(dims, &mut bytes);
            bounds.push(count(bytes.len() as u64));
        }
        (bytes, bounds)
    }

    #[test]
    fn a_layout_has_what_the_shapes_say() {
        let (bytes, bounds) = shapes(&[&[2, 3], &[], &[5]]);
        let layout = Layout::of(2, &[0.0, 12.0, 14.0, 24.0], &bounds, &bytes).unwrap();
        assert_eq!(layout.offsets, [0, 6, 7, 12]);
        assert_eq!(layout.extents, [2, 3, 5]);
        assert_eq!(layout.ranks, [2, 0, 1]);
    }

    #[test]
    fn shapes_that_contradict_their_values_have_no_layout() {
        let (bytes, bounds) = shapes(&[&[2, 3]]);
        assert!(Layout::of(2, &[0.0, 10.0], &bounds, &bytes).is_none());
        assert!(Layout::of(2, &[0.0, 12.0], &bounds, &bytes[1..]).is_none());
        assert!(Layout::of(2, &[0.0, 12.0], &[0.0, 7.0], &bytes).is_none());
        assert!(Layout::of(2, &[12.0, 0.0], &bounds, &bytes).is_none());
    }
}
