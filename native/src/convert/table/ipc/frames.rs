//! The messages of an Arrow file or stream, each checked against the size of the file before memory is taken for it.

use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::{Block, Message, MessageHeader, MetadataVersion, root_as_footer, root_as_message};
use arrow_schema::SchemaRef;

use super::super::format::Format;

pub(super) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What stands before every message since version 0.15.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// A schema of many columns is long; nothing honest is longer than this.
const MAX_METADATA: u64 = 256 << 20;

/// What a frame holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Dictionary,
    Batch,
}

/// A message with its body, as the decoder takes it.
pub(super) struct Frame {
    pub(super) content: Content,
    pub(super) block: Block,
    pub(super) bytes: Buffer,
}

/// The messages of a file, dictionaries before the batches that need them.
pub(super) struct Frames<R> {
    file: R,
    len: u64,
    schema: SchemaRef,
    version: MetadataVersion,
    order: Order,
}

enum Order {
    /// A file lists its blocks at the end.
    Listed { blocks: Vec<(Content, Block)>, next: usize },
    /// In a stream, one message follows the other.
    Streamed { at: u64 },
}

impl<R: Read + Seek> Frames<R> {
    /// Of `len` bytes.
    pub(super) fn open(file: R, len: u64, format: Format) -> Result<Self, Failure> {
        if format == Format::ArrowStream { Self::stream(file, len) } else { Self::listed(file, len) }
    }

    fn listed(mut file: R, len: u64) -> Result<Self, Failure> {
        let mut tail = [0; 10];
        let end = len.checked_sub(tail.len() as u64).ok_or("it is too short for an Arrow file")?;
        read_at(&mut file, end, &mut tail)?;
        let footer_len = read_footer_length(tail)? as u64;
        let start = end.checked_sub(footer_len).ok_or("its footer is longer than the file")?;
        let bytes = read_bytes(&mut file, start, footer_len)?;
        let footer = root_as_footer(&bytes).map_err(|error| format!("its footer is damaged: {error}"))?;
        let schema = footer.schema().ok_or("its footer has no schema")?;
        if !schema.endianness().equals_to_target_endianness() {
            return Err("its values have the byte order of another machine".into());
        }
        let listed = |content, blocks: Option<&[Block]>| {
            blocks.unwrap_or_default().iter().map(|block| (content, *block)).collect::<Vec<_>>()
        };
        let dictionaries = footer.dictionaries().map(|blocks| blocks.iter().copied().collect::<Vec<_>>());
        let batches = footer.recordBatches().map(|blocks| blocks.iter().copied().collect::<Vec<_>>());
        let mut blocks = listed(Content::Dictionary, dictionaries.as_deref());
        blocks.extend(listed(Content::Batch, batches.as_deref()));
        Ok(Frames {
            len,
            schema: Arc::new(try_fb_to_schema(schema)?),
            version: footer.version(),
            order: Order::Listed { blocks, next: 0 },
            file,
        })
    }

    fn stream(mut file: R, len: u64) -> Result<Self, Failure> {
        let block = message_at(&mut file, 0, len)?.ok_or("it has no schema")?;
        let metadata = metadata_of(&mut file, &block, len)?;
        let message = parse(&metadata)?;
        let schema = message.header_as_schema().ok_or("it does not begin with a schema")?;
        if !schema.endianness().equals_to_target_endianness() {
            return Err("its values have the byte order of another machine".into());
        }
        Ok(Frames {
            len,
            schema: Arc::new(try_fb_to_schema(schema)?),
            version: message.version(),
            order: Order::Streamed { at: end_of(&block, len)? },
            file,
        })
    }

    pub(super) fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    pub(super) fn decoder(&self) -> FileDecoder {
        FileDecoder::new(self.schema.clone(), self.version)
    }

    /// The rows of all batches, by their messages alone.
    pub(super) fn count_rows(&mut self) -> Result<u64, Failure> {
        let mut rows = 0u64;
        while let Some((content, block)) = self.next_block()? {
            let metadata = metadata_of(&mut self.file, &block, self.len)?;
            let message = parse(&metadata)?;
            if let (Content::Batch, Some(batch)) = (content, message.header_as_record_batch()) {
                let more =
                    u64::try_from(batch.length()).map_err(|_| "a batch has a negative number of rows")?;
                rows = rows.checked_add(more).ok_or("it claims more rows than 64 bits can count")?;
            }
        }
        Ok(rows)
    }

    /// The next message, with its body.
    pub(super) fn next(&mut self) -> Result<Option<Frame>, Failure> {
        let Some((content, block)) = self.next_block()? else {
            return Ok(None);
        };
        let end = end_of(&block, self.len)?;
        let start = u64::try_from(block.offset())?;
        let bytes = Buffer::from_vec(read_bytes(&mut self.file, start, end - start)?);
        check_buffers(&bytes, &block)?;
        Ok(Some(Frame { content, block, bytes }))
    }

    fn next_block(&mut self) -> Result<Option<(Content, Block)>, Failure> {
        match &mut self.order {
            Order::Listed { blocks, next } => {
                let found = blocks.get(*next).copied();
                *next += 1;
                Ok(found)
            }
            Order::Streamed { at } => loop {
                let Some(block) = message_at(&mut self.file, *at, self.len)? else {
                    return Ok(None);
                };
                *at = end_of(&block, self.len)?;
                let metadata = metadata_of(&mut self.file, &block, self.len)?;
                return match parse(&metadata)?.header_type() {
                    MessageHeader::RecordBatch => Ok(Some((Content::Batch, block))),
                    MessageHeader::DictionaryBatch => Ok(Some((Content::Dictionary, block))),
                    MessageHeader::NONE => continue,
                    other => Err(format!("a message of the kind {other:?} is not expected").into()),
                };
            },
        }
    }
}

/// The message at a place of a stream; nothing at its end.
fn message_at(file: &mut (impl Read + Seek), at: u64, len: u64) -> Result<Option<Block>, Failure> {
    if at == len {
        return Ok(None);
    }
    let mut word = [0; 4];
    read_at(file, at, &mut word)?;
    let mut before = 4;
    if word == CONTINUATION {
        read_at(file, at + 4, &mut word)?;
        before = 8;
    }
    let size = u64::from(u32::from_le_bytes(word));
    if size == 0 {
        return Ok(None);
    }
    let metadata_len = i32::try_from(before + size)?;
    let start = i64::try_from(at)?;
    let metadata = metadata_of(file, &Block::new(start, metadata_len, 0), len)?;
    Ok(Some(Block::new(start, metadata_len, parse(&metadata)?.bodyLength())))
}

/// The bytes of a message without its body.
fn metadata_of(file: &mut (impl Read + Seek), block: &Block, len: u64) -> Result<Vec<u8>, Failure> {
    let (start, size) = (u64::try_from(block.offset())?, u64::try_from(block.metaDataLength())?);
    let is_inside = start.checked_add(size).is_some_and(|end| end <= len);
    if !is_inside || !(8..=MAX_METADATA).contains(&size) {
        return Err("a message does not lie in the file".into());
    }
    read_bytes(file, start, size)
}

fn parse(metadata: &[u8]) -> Result<Message<'_>, Failure> {
    let message = match metadata.strip_prefix(&CONTINUATION) {
        Some(rest) => rest.get(4..),
        None => metadata.get(4..),
    };
    let message = message.ok_or("a message is too short")?;
    root_as_message(message).map_err(|error| format!("a message is damaged: {error}").into())
}

/// Where the body of a message ends, which has to be in the file.
fn end_of(block: &Block, len: u64) -> Result<u64, Failure> {
    let (start, metadata) = (u64::try_from(block.offset())?, u64::try_from(block.metaDataLength())?);
    let end =
        start.checked_add(metadata).and_then(|at| at.checked_add(u64::try_from(block.bodyLength()).ok()?));
    end.filter(|&end| end <= len).ok_or_else(|| "a message does not lie in the file".into())
}

/// The buffers have to lie in the body; and compressed ones claim a length that the decoder takes memory for, of which there
/// has to be that much.
fn check_buffers(bytes: &Buffer, block: &Block) -> Result<(), Failure> {
    let body_at = usize::try_from(block.metaDataLength())?;
    let message = parse(bytes.get(..body_at).ok_or("a message is cut")?)?;
    let batch = match message.header_type() {
        MessageHeader::DictionaryBatch => message.header_as_dictionary_batch().and_then(|batch| batch.data()),
        _ => message.header_as_record_batch(),
    };
    let Some(batch) = batch else {
        return Ok(());
    };
    let body = bytes.get(body_at..).unwrap_or_default();
    for buffer in batch.buffers().into_iter().flatten() {
        let (start, len) = (usize::try_from(buffer.offset())?, usize::try_from(buffer.length())?);
        let values = body.get(start..).and_then(|rest| rest.get(..len));
        let values = values.ok_or("the values of a column do not lie in their message")?;
        let claimed = values.first_chunk().filter(|_| batch.compression().is_some());
        if let Ok(claimed) = usize::try_from(claimed.map_or(0, |len| i64::from_le_bytes(*len))) {
            // Nothing is touched: the pages come with what is decoded into them.
            Vec::<u8>::new().try_reserve_exact(claimed).map_err(|_| {
                format!("a compressed buffer claims {claimed} bytes, more than there is memory")
            })?;
        }
    }
    Ok(())
}

fn read_at(file: &mut (impl Read + Seek), at: u64, into: &mut [u8]) -> Result<(), Failure> {
    file.seek(SeekFrom::Start(at))?;
    Ok(file.read_exact(into)?)
}

/// Bytes that are known to lie in the file.
fn read_bytes(file: &mut (impl Read + Seek), at: u64, len: u64) -> Result<Vec<u8>, Failure> {
    file.seek(SeekFrom::Start(at))?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(len)?)?;
    file.by_ref().take(len).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == len { Ok(bytes) } else { Err("the file ends too early".into()) }
}
