//! NumPy's array files: versions 1, 2 and 3.

use std::fmt::Write as _;
use std::io::{BufReader, Read};

use recask_core::{DType, Result};

use super::array::{Array, Layout};
use super::problem::Site;
use super::reading::{BUFFER, Counted, Data, Meter};
use super::transposed::Transposed;

pub(super) const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// A structure of many fields is long; nothing honest is longer than this.
const MAX_HEADER: u64 = 16 << 20;
/// Data starts at a multiple of this.
const ALIGN: usize = 64;
/// NumPy leaves room for the first extent to grow to this many digits.
const GROWTH_DIGITS: usize = 21;

/// What stands before the data.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Header {
    pub(super) dtype: DType,
    pub(super) fortran_order: bool,
    pub(super) shape: Vec<u64>,
    /// Bytes before the data.
    pub(super) len: u64,
}

impl Header {
    pub(super) fn layout(&self, site: Site<'_>) -> Result<Layout> {
        Layout::new(self.dtype.clone(), &self.shape, site)
    }

    /// Whether the data has to be put into C order.
    pub(super) fn is_transposed(&self) -> bool {
        self.fortran_order && self.shape.len() > 1
    }
}

/// Opens a file whose length has to be the one that its header asks for.
pub(super) fn open(site: Site<'_>, meter: &Meter) -> Result<Array<'static>> {
    let file = Counted::open(site, meter)?;
    let len = file.len(site)?;
    open_counted(file, len, site)
}

/// As [`open`], with a file of `len` bytes that is open already.
pub(super) fn open_counted(file: Counted, len: u64, site: Site<'_>) -> Result<Array<'static>> {
    let mut file = BufReader::with_capacity(BUFFER, file);
    let header = read_header(&mut file, site)?;
    let layout = header.layout(site)?;
    let (wanted, found) = (layout.bytes()?, len.saturating_sub(header.len));
    if wanted != found {
        return Err(site.invalid(format_args!("the array needs {wanted} bytes, the file has {found} for it")));
    }
    let data: Box<dyn Data> = if header.is_transposed() {
        Box::new(Transposed::new(file, header.len, &layout)?)
    } else {
        Box::new(file)
    };
    Ok(Array { layout, data })
}

/// Reads up to the first byte of the data.
pub(super) fn read_header(source: &mut dyn Read, site: Site<'_>) -> Result<Header> {
    let mut start = [0; 8];
    let mut read = |buffer: &mut [u8]| source.read_exact(buffer).map_err(|error| site.unreadable(error));
    read(&mut start)?;
    let Some([major, _minor]) = start.strip_prefix(MAGIC) else {
        return Err(site.invalid("this is no npy file"));
    };
    let (length, before) = if *major == 1 {
        let mut length = [0; 2];
        read(&mut length)?;
        (u64::from(u16::from_le_bytes(length)), 10)
    } else {
        let mut length = [0; 4];
        read(&mut length)?;
        (u64::from(u32::from_le_bytes(length)), 12)
    };
    if !(1..=3).contains(major) {
        return Err(site.invalid(format_args!("npy version {major} is not known; 1 to 3 are")));
    }
    if length > MAX_HEADER {
        return Err(site.invalid(format_args!("the npy header claims {length} bytes")));
    }
    let mut text = Vec::new();
    super::reading::read_up_to(source, length, &mut text).map_err(|error| site.unreadable(error))?;
    if text.len() as u64 != length {
        return Err(site.invalid("the file ends inside of the npy header"));
    }
    let text = if *major < 3 {
        text.into_iter().map(char::from).collect()
    } else {
        String::from_utf8(text).map_err(|_| site.invalid("the npy header is not UTF-8"))?
    };
    let (dtype, fortran_order, shape) =
        Dictionary { rest: &text }.read().map_err(|reason| site.invalid(reason))?;
    Ok(Header { dtype, fortran_order, shape, len: before + length })
}

/// The header that NumPy writes for an array in C order, byte for byte.
pub(super) fn header(dtype: &DType, shape: &[u64]) -> Vec<u8> {
    let mut text = String::from("{'descr': ");
    let extents = recask_core::Shape::from(shape);
    // Formatting into a string cannot fail.
    let _ = if dtype.is_struct() { write!(text, "{dtype}") } else { write!(text, "'{dtype}'") };
    let _ = write!(text, ", 'fortran_order': False, 'shape': {extents}, }}");
    if let Some(first) = shape.first() {
        let digits = first.to_string().len();
        text.extend(std::iter::repeat_n(' ', GROWTH_DIGITS.saturating_sub(digits)));
    }
    let latin: Option<Vec<u8>> = text.chars().map(|c| u8::try_from(c).ok()).collect();
    let (mut version, mut bytes) = match latin {
        Some(latin) => (1, latin),
        None => (3, text.into_bytes()),
    };
    let padded = |before: usize, len: usize| len + 1 + (ALIGN - (before + len + 1) % ALIGN);
    if version == 1 && padded(10, bytes.len()) > usize::from(u16::MAX) {
        version = 2;
    }
    let before = if version == 1 { 10 } else { 12 };
    let length = padded(before, bytes.len());
    bytes.resize(length - 1, b' ');
    bytes.push(b'\n');
    let mut header = MAGIC.to_vec();
    header.extend([version, 0]);
    match u16::try_from(length) {
        Ok(short) if version == 1 => header.extend(short.to_le_bytes()),
        // No type is spelled with 4 GiB.
        _ => header.extend(u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes()),
    }
    header.extend(bytes);
    header
}

/// The literal of a Python dictionary, as far as headers go.
struct Dictionary<'a> {
    rest: &'a str,
}

impl<'a> Dictionary<'a> {
    fn read(mut self) -> Result<(DType, bool, Vec<u64>), String> {
        let (mut dtype, mut fortran_order, mut shape) = (None, None, None);
        self.expect('{')?;
        while !self.take('}') {
            let key = self.string()?;
            self.expect(':')?;
            let repeated = match key {
                "descr" => dtype.replace(self.descr()?).is_some(),
                "fortran_order" => fortran_order.replace(self.flag()?).is_some(),
                "shape" => shape.replace(self.shape()?).is_some(),
                _ => return Err(format!("the npy header has an unknown key {key:?}")),
            };
            if repeated {
                return Err(format!("the npy header has the key {key:?} twice"));
            }
            if !self.take(',') {
                self.expect('}')?;
                break;
            }
        }
        if !self.rest.trim().is_empty() {
            return Err("the npy header has something behind its dictionary".to_owned());
        }
        let missing = |key| format!("the npy header has no {key:?}");
        Ok((
            dtype.ok_or_else(|| missing("descr"))?,
            fortran_order.ok_or_else(|| missing("fortran_order"))?,
            shape.ok_or_else(|| missing("shape"))?,
        ))
    }

    fn descr(&mut self) -> Result<DType, String> {
        self.rest = self.rest.trim_start();
        let literal = if self.rest.starts_with('[') { self.list()? } else { self.string()? };
        if holds_objects(literal) {
            return Err("the array holds Python objects, which have no fixed width; \
                        save it with a numeric or fixed-width text type"
                .to_owned());
        }
        DType::parse(literal).map_err(|error| error.message().to_owned())
    }

    fn flag(&mut self) -> Result<bool, String> {
        self.rest = self.rest.trim_start();
        for (text, value) in [("True", true), ("False", false)] {
            if let Some(rest) = self.rest.strip_prefix(text) {
                self.rest = rest;
                return Ok(value);
            }
        }
        Err("'fortran_order' in the npy header is neither True nor False".to_owned())
    }

    fn shape(&mut self) -> Result<Vec<u64>, String> {
        let wrong = || "'shape' in the npy header is no tuple of extents".to_owned();
        self.expect('(')?;
        let mut shape = Vec::new();
        while !self.take(')') {
            self.rest = self.rest.trim_start();
            let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
            let (extent, rest) = self.rest.split_at_checked(digits).ok_or_else(wrong)?;
            shape.push(extent.parse().map_err(|_| wrong())?);
            // Python 2 wrote long integers as `3L`.
            self.rest = rest.strip_prefix('L').unwrap_or(rest);
            if !self.take(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(shape)
    }

    /// A string without escapes, in either kind of quotes.
    fn string(&mut self) -> Result<&'a str, String> {
        let rest = self.rest.trim_start();
        let wrong = || "the npy header has something else where a string is expected".to_owned();
        let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"')).ok_or_else(wrong)?;
        let (string, rest) = rest.get(1..).and_then(|rest| rest.split_once(quote)).ok_or_else(wrong)?;
        self.rest = rest;
        Ok(string)
    }

    /// The text of a list up to its closing bracket.
    fn list(&mut self) -> Result<&'a str, String> {
        let (mut depth, mut quote, mut escaped) = (0usize, None, false);
        for (at, c) in self.rest.char_indices() {
            match (quote, c) {
                (Some(_), _) if escaped => escaped = false,
                (Some(_), '\\') => escaped = true,
                (Some(open), _) if open == c => quote = None,
                (None, '\'' | '"') => quote = Some(c),
                (None, '[') => depth += 1,
                (None, ']') => depth -= 1,
                _ => {}
            }
            if depth == 0
                && quote.is_none()
                && let Some((list, rest)) = self.rest.split_at_checked(at + c.len_utf8())
            {
                self.rest = rest;
                return Ok(list);
            }
        }
        Err("the list of fields in the npy header does not end".to_owned())
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        if self.take(wanted) { Ok(()) } else { Err(format!("the npy header lacks a '{wanted}'")) }
    }

    fn take(&mut self, wanted: char) -> bool {
        match self.rest.trim_start().strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
}

/// Whether a type, or a field of it, is `O`.
fn holds_objects(literal: &str) -> bool {
    literal.split(['\'', '"']).any(|part| matches!(part, "O" | "|O" | "|O8" | "|O4" | "<O" | ">O"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use recask_core::Code;

    use super::*;

    fn parse(text: &str) -> Result<Header> {
        let mut file = MAGIC.to_vec();
        file.extend([1, 0]);
        file.extend(u16::try_from(text.len()).unwrap().to_le_bytes());
        file.extend(text.bytes());
        read_header(&mut file.as_slice(), Site::file(Path::new("test.npy")))
    }

    #[test]
    fn headers_read_back() {
        for (dtype, shape) in [
            ("<f4", &[3, 4][..]),
            ("|b1", &[0]),
            (">M8[25us]", &[7]),
            ("[('a', '<i4'), ('b', [(('t, [', 'x'), '>f8', (2, 3))])]", &[1, 2, 3]),
            ("[('größe', '<f8')]", &[2]),
            ("[('長', '<f8')]", &[2]),
        ] {
            let dtype = DType::parse(dtype).unwrap();
            let bytes = header(&dtype, shape);
            assert_eq!(bytes.len() % ALIGN, 0);
            let read = read_header(&mut bytes.as_slice(), Site::file(Path::new("test.npy"))).unwrap();
            assert_eq!((read.dtype, read.shape.as_slice()), (dtype, shape));
            assert_eq!(read.len, bytes.len() as u64);
            assert!(!read.fortran_order);
        }
    }

    #[test]
    fn a_header_beyond_64_kib_is_version_2() {
        let fields = (0..4000).map(|i| (format!("field number {i}"), DType::F64));
        let dtype = DType::structure(fields).unwrap();
        let bytes = header(&dtype, &[1]);
        assert_eq!(bytes.get(6), Some(&2));
        let read = read_header(&mut bytes.as_slice(), Site::file(Path::new("test.npy"))).unwrap();
        assert_eq!(read.dtype, dtype);
    }

    #[test]
    fn other_spellings_of_the_dictionary() {
        let read = parse("{\"shape\": (3L, 4L,), 'fortran_order': True , 'descr':'>i2'} \n").unwrap();
        assert_eq!((read.fortran_order, read.shape), (true, vec![3, 4]));
        assert!(parse("{'descr':'<i2','fortran_order':False,'shape':()}").unwrap().shape.is_empty());
    }

    #[test]
    fn damaged_dictionaries_are_named() {
        for text in [
            "",
            "{",
            "{}",
            "{'descr': '<f4', 'fortran_order': False, }",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), } x",
            "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3,), }",
            "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (3,), }",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,), }",
            "{'descr': '<f4', 'fortran_order': False, 'shape': 3, }",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }",
            "{'descr': '|O', 'fortran_order': False, 'shape': (3,), }",
            "{'descr': [('a', '|O')], 'fortran_order': False, 'shape': (3,), }",
            "{'descr': [('a', '<f4'), 'fortran_order': False, 'shape': (3,), }",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'more': 1}",
            "{'descr': '<f4' 'fortran_order': False, 'shape': (3,)}",
            "{'descr': '<q9', 'fortran_order': False, 'shape': (3,)}",
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!(error.code(), Code::InvalidSource, "{text}: {error}");
            assert!(error.message().starts_with("test.npy: "), "{error}");
        }
    }
}
