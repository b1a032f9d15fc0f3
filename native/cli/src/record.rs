//! One record: read, as JSON, and as text for people.

use std::borrow::Cow;
use std::io::{self, Write};

use recask::core::shape::elements_of;
use recask::{AnyStore, DType};

use crate::value;

/// A decoded record.
pub(crate) struct Record<'s> {
    pub(crate) dtype: &'s DType,
    pub(crate) shape: Cow<'s, [u64]>,
    pub(crate) bytes: Cow<'s, [u8]>,
    /// Whether each record has its own shape, as texts and files have.
    ragged: bool,
}

/// Reads one record.
pub(crate) fn read(store: &AnyStore, index: u64) -> recask::Result<Record<'_>> {
    match store {
        AnyStore::Dense(store) => Ok(Record {
            dtype: store.dtype(),
            shape: Cow::Borrowed(store.item_shape().dims()),
            bytes: store.record(index)?,
            ragged: false,
        }),
        AnyStore::Ragged(store) => {
            let batch = store.record(index)?;
            let (shape, bytes) = (batch.shapes().to_vec(), batch.as_bytes().to_vec());
            Ok(Record { dtype: store.dtype(), shape: shape.into(), bytes: bytes.into(), ragged: true })
        }
    }
}

/// Elements that are shown in full; of more, only the first and last ones.
const SHOWN_IN_FULL: u64 = 200;
/// Entries at either end of a dimension that is shown in part.
const EDGE: usize = 3;
/// Elements after which even an abbreviated record ends.
const MOST_SHOWN: usize = 2000;
/// Characters of one element, and of one text.
const ELEMENT: usize = 60;
const TEXT: usize = 400;

impl Record<'_> {
    /// The members `"shape"` and `"data"` of a JSON object.
    pub(crate) fn json(&self, out: &mut impl Write) -> io::Result<()> {
        let shape: Vec<String> = self.shape.iter().map(ToString::to_string).collect();
        write!(out, "\"shape\":[{}],\"data\":", shape.join(","))?;
        self.json_data(&self.shape, &self.bytes, &mut String::new(), out)
    }

    /// Large records in pieces, so that their text is never in memory as a whole.
    fn json_data(
        &self,
        shape: &[u64],
        bytes: &[u8],
        text: &mut String,
        out: &mut impl Write,
    ) -> io::Result<()> {
        const PIECE: usize = 1 << 16;
        if let [_, inner @ ..] = shape
            && bytes.len() > PIECE
            && let Some(width) = self.width(inner)
        {
            out.write_all(b"[")?;
            for (i, item) in bytes.chunks(width).enumerate() {
                if i > 0 {
                    out.write_all(b",")?;
                }
                self.json_data(inner, item, text, out)?;
            }
            return out.write_all(b"]");
        }
        text.clear();
        value::write(self.dtype, shape, bytes, text);
        out.write_all(text.as_bytes())
    }

    /// Bytes of a part of this shape.
    fn width(&self, shape: &[u64]) -> Option<usize> {
        let bytes = elements_of(shape).ok()?.checked_mul(self.dtype.itemsize())?;
        usize::try_from(bytes).ok().filter(|&width| width > 0)
    }

    /// For people: text where it is text, numbers as NumPy prints them, abbreviated.
    pub(crate) fn text(&self) -> String {
        if let Some(text) = self.as_text() {
            return format!("{:?}", shortened(text, TEXT));
        }
        let full = elements_of(&self.shape).is_ok_and(|elements| elements <= SHOWN_IN_FULL);
        let mut left = MOST_SHOWN;
        let node = self.node(&self.shape, &self.bytes, full, &mut left);
        let width = if self.shape.len() > 1 { node.widest() } else { 0 };
        let mut text = String::new();
        node.print(width, 0, &mut text);
        text
    }

    /// A file or sentence in a ragged store of bytes.
    fn as_text(&self) -> Option<&str> {
        if !self.ragged || *self.dtype != DType::U8 || self.shape.len() != 1 {
            return None;
        }
        let text = std::str::from_utf8(&self.bytes).ok()?;
        text.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t' | '\r')).then_some(text)
    }

    fn node(&self, shape: &[u64], bytes: &[u8], full: bool, left: &mut usize) -> Node {
        if *left == 0 {
            return Node::Gap;
        }
        let [_, inner @ ..] = shape else {
            *left -= 1;
            let mut text = String::new();
            value::write(self.dtype, &[], bytes, &mut text);
            return Node::Element(shortened(&text, ELEMENT).into_owned());
        };
        let Some(width) = self.width(inner) else { return Node::List(Vec::new()) };
        let items = bytes.len() / width;
        let mut nodes = Vec::new();
        for (i, item) in bytes.chunks_exact(width).enumerate() {
            if full || items <= 2 * EDGE + 1 || i < EDGE || i >= items - EDGE {
                nodes.push(self.node(inner, item, full, left));
            } else if i == EDGE {
                nodes.push(Node::Gap);
            }
        }
        Node::List(nodes)
    }
}

/// What is shown of an array.
enum Node {
    Element(String),
    Gap,
    List(Vec<Node>),
}

impl Node {
    fn widest(&self) -> usize {
        match self {
            Node::Element(text) => text.chars().count(),
            Node::Gap => 1,
            Node::List(nodes) => nodes.iter().map(Node::widest).max().unwrap_or(0),
        }
    }

    fn print(&self, width: usize, depth: usize, text: &mut String) {
        match self {
            Node::Element(element) => text.push_str(&format!("{element:>width$}")),
            Node::Gap => text.push_str(&format!("{:>width$}", '…')),
            Node::List(nodes) => {
                let rows = nodes.iter().any(|node| matches!(node, Node::List(_)));
                text.push('[');
                for (i, node) in nodes.iter().enumerate() {
                    if i > 0 && rows {
                        text.push('\n');
                        text.push_str(&" ".repeat(depth + 1));
                    } else if i > 0 {
                        text.push(' ');
                    }
                    // A gap between rows stands for itself, one in a row for an element.
                    let width = if rows && matches!(node, Node::Gap) { 0 } else { width };
                    node.print(width, depth + 1, text);
                }
                text.push(']');
            }
        }
    }
}

/// At most `most` characters, the rest as `…`.
fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}
