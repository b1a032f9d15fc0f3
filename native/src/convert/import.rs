//! Sources become stores.

use std::path::{Path, PathBuf};

use recask_core::{Code, Codec, DType, Error, Result, Shape};

use super::array::Layout;
use super::dataset::is_store;
use super::json::{self, FieldType};
use super::npz::{Npz, Scratch};
use super::options::ImportOptions;
use super::problem::{Site, check, invalid_argument};
use super::reading::Meter;
use super::source::{SourceKind, append_units};
use super::undo::{Missing, Undo};
use super::{folder, idx, name, npy};
use crate::fs::{canonical, check_writable};
use crate::{AnyStore, CodecKind, DenseStore, Progress, RaggedStore, StoreKind};

/// The stream of an imported folder that holds the files.
pub(super) const FILES: &str = "files";
/// The stream of an imported folder that holds their names.
pub(super) const NAMES: &str = "names";

/// A store that an import made.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The name of the stream; `None` where the destination itself is the store.
    pub name: Option<String>,
    /// The directory of the store.
    pub path: PathBuf,
    /// Dense or ragged.
    pub kind: StoreKind,
    /// The type of one element.
    pub dtype: DType,
    /// The shape of one record, for a dense store.
    pub item_shape: Option<Shape>,
    /// How records are stored.
    pub codec: CodecKind,
    /// How many records there are.
    pub records: u64,
}

/// Makes stores of a source, as the table in the [module](super) says.
///
/// The source is read in bounded memory: 16 MiB of records, or one record where that is larger; 64 MiB for an array
/// in Fortran order, which inside of an npz is unpacked to a file beside the new store first. JSON lines are read
/// twice, and every source once more where a dictionary is trained from it. When the import fails or is stopped,
/// everything that it made is removed. Progress counts bytes of the source, about [`import_units`](super::import_units)
/// in all.
///
/// # Errors
/// [`Code::InvalidSource`] naming the array, field or line that cannot be understood; [`Code::StoreExists`] where a
/// store is to be made and anything is already; [`Code::InvalidArgument`] for fields that the source cannot have;
/// [`Code::TrainingFailed`]; [`Code::RecordTooLarge`]; [`Code::Interrupted`]; what the environment says.
pub fn import(
    source: &Path,
    dest: &Path,
    options: &ImportOptions,
    progress: &dyn Progress,
) -> Result<Vec<Imported>> {
    check_writable(dest)?;
    let kind = SourceKind::detect(source)?;
    check(progress)?;
    let mut job = Job { source, dest, options, progress, undo: Undo::default() };
    let made = match kind {
        SourceKind::Npy => vec![job.array(npy::open)?],
        SourceKind::Idx => vec![job.array(idx::open)?],
        SourceKind::Npz => job.archive()?,
        SourceKind::Folder => job.folder()?,
        SourceKind::JsonLines => job.lines()?,
    };
    job.undo.keep();
    Ok(made)
}

struct Job<'a> {
    source: &'a Path,
    dest: &'a Path,
    options: &'a ImportOptions,
    progress: &'a dyn Progress,
    undo: Undo,
}

impl Job<'_> {
    /// The destination itself becomes a dense store.
    fn array(
        &mut self,
        open: impl Fn(Site<'_>, &Meter) -> Result<super::array::Array<'static>>,
    ) -> Result<Imported> {
        self.refuse_fields()?;
        let site = Site::file(self.source);
        let meter = Meter::default();
        let array = open(site, &meter)?;
        let codec = self.options.codec.codec(1, |tier| open(site, &Meter::default())?.samples(tier, site))?;
        let mut store = self.dense(None, &array.layout, codec)?;
        array.copy_to(&mut store, site, &meter, self.progress)?;
        finish(None, self.dest, AnyStore::Dense(store))
    }

    /// Every array of an archive becomes a dense store.
    fn archive(&mut self) -> Result<Vec<Imported>> {
        let names = self.chosen(Npz::open(self.source, &Meter::default())?.names()?)?;
        self.check_dataset(&names)?;
        let meter = Meter::up_to(append_units(self.source)?);
        let mut archive = Npz::open(self.source, &meter)?;
        // Before anything is made: whether all of them can be stored.
        let mut layouts = Vec::with_capacity(names.len());
        for name in &names {
            layouts.push(archive.layout(name)?);
        }
        // Arrays in Fortran order are unpacked there.
        self.undo.make_folder(self.dest)?;
        let mut made = Vec::with_capacity(names.len());
        for (name, layout) in names.iter().zip(&layouts) {
            let site = Site { path: self.source, member: Some(name) };
            let path = self.dest.join(name);
            let scratch = Scratch::beside(&path);
            let codec = self.options.codec.codec(names.len(), |tier| {
                let mut archive = Npz::open(self.source, &Meter::default())?;
                archive.array(name, &scratch, self.progress)?.samples(tier, site)
            })?;
            let mut store = self.dense(Some(name), layout, codec)?;
            archive.array(name, &scratch, self.progress)?.copy_to(&mut store, site, &meter, self.progress)?;
            made.push(finish(Some(name), &path, AnyStore::Dense(store))?);
        }
        Ok(made)
    }

    /// The files become one ragged store, their names another.
    fn folder(&mut self) -> Result<Vec<Imported>> {
        self.refuse_fields()?;
        self.check_dataset(&[FILES.to_owned(), NAMES.to_owned()])?;
        self.refuse_inside()?;
        let codec = self.options.codec.codec(1, |tier| folder::samples(self.source, tier, self.progress))?;
        let mut files = self.ragged(FILES, DType::U8, codec)?;
        // Names are too short to be worth a codec.
        let mut names = self.ragged(NAMES, DType::U8, Codec::raw())?;
        folder::fill(self.source, &mut files, Some(&mut names), self.progress)?;
        Ok(vec![
            finish(Some(FILES), &self.dest.join(FILES), AnyStore::Ragged(files))?,
            finish(Some(NAMES), &self.dest.join(NAMES), AnyStore::Ragged(names))?,
        ])
    }

    /// Every field becomes a store.
    fn lines(&mut self) -> Result<Vec<Imported>> {
        let wanted = self.options.fields.as_deref();
        let fields = json::scan(self.source, wanted, self.progress)?;
        let names: Vec<String> = fields.iter().map(|field| field.name.clone()).collect();
        self.check_dataset(&names)?;
        let mut samples = match self.options.codec.trained() {
            Some(tier) => json::samples(self.source, &fields, tier, self.progress)?,
            None => Vec::new(),
        }
        .into_iter();
        let mut stores = Vec::with_capacity(fields.len());
        for field in &fields {
            let codec = self.options.codec.codec(fields.len(), |_| Ok(samples.next().unwrap_or_default()))?;
            stores.push(match &field.kind {
                FieldType::Scalar(dtype) => {
                    let layout =
                        Layout { dtype: dtype.clone(), records: field.records, item_shape: Shape::scalar() };
                    AnyStore::Dense(self.dense(Some(&field.name), &layout, codec)?)
                }
                other => AnyStore::Ragged(self.ragged(&field.name, other.dtype().clone(), codec)?),
            });
        }
        let mut sinks: Vec<_> = names
            .iter()
            .cloned()
            .zip(&mut stores)
            .map(|(name, store)| json::Sink::new(name, store))
            .collect();
        json::copy(self.source, &mut sinks, self.progress)?;
        drop(sinks);
        names
            .iter()
            .zip(stores)
            .map(|(name, store)| finish(Some(name), &self.dest.join(name), store))
            .collect()
    }

    fn dense(&mut self, name: Option<&str>, layout: &Layout, codec: Codec) -> Result<DenseStore> {
        let builder = DenseStore::builder(layout.dtype.clone(), layout.item_shape.clone()).codec(codec);
        self.make(name, |path| builder.create(path))
    }

    fn ragged(&mut self, name: &str, dtype: DType, codec: Codec) -> Result<RaggedStore> {
        self.make(Some(name), |path| RaggedStore::builder(dtype).codec(codec).create(path))
    }

    fn make<S>(&mut self, name: Option<&str>, create: impl FnOnce(PathBuf) -> Result<S>) -> Result<S> {
        let path = name.map_or_else(|| self.dest.to_path_buf(), |name| self.dest.join(name));
        let missing = Missing::before(&path);
        let store = create(path.clone())?;
        self.undo.made_store(&path, missing);
        Ok(store)
    }

    /// The arrays to take, all of which the source has.
    fn chosen(&self, found: Vec<String>) -> Result<Vec<String>> {
        let Some(wanted) = &self.options.fields else {
            return Ok(found);
        };
        match wanted.iter().find(|name| !found.contains(name)) {
            Some(name) => {
                let text =
                    format!("{} has no array {name:?}; it has {}", self.source.display(), found.join(", "));
                Err(invalid_argument(text))
            }
            None => Ok(found.into_iter().filter(|name| wanted.contains(name)).collect()),
        }
    }

    fn refuse_fields(&self) -> Result<()> {
        if self.options.fields.is_none() {
            return Ok(());
        }
        let text = format!("{} has no fields to choose from; leave them out", self.source.display());
        Err(invalid_argument(text))
    }

    /// Whether streams of these names can be made in the destination.
    fn check_dataset(&self, names: &[String]) -> Result<()> {
        names.iter().try_for_each(|name| name::check(name, Site::file(self.source)))?;
        if is_store(self.dest) {
            let text = format!("{} is a store itself; choose a folder for several", self.dest.display());
            return Err(Error::new(Code::StoreExists, text));
        }
        for path in names.iter().map(|name| self.dest.join(name)) {
            if is_store(&path) {
                let text = format!("there is a store at {} already", path.display());
                return Err(Error::new(Code::StoreExists, text));
            }
        }
        Ok(())
    }

    /// A folder that grew by its own import would have no end.
    fn refuse_inside(&self) -> Result<()> {
        let source = canonical(self.source).map_err(|error| Site::file(self.source).unreadable(error))?;
        let dest = std::path::absolute(self.dest).unwrap_or_else(|_| self.dest.to_path_buf());
        if dest.ancestors().any(|path| canonical(path).is_ok_and(|path| path.starts_with(&source))) {
            let text = format!("{} lies inside of the folder to import", self.dest.display());
            return Err(invalid_argument(text));
        }
        Ok(())
    }
}

/// Makes a store durable, and says what it is.
fn finish(name: Option<&str>, path: &Path, store: AnyStore) -> Result<Imported> {
    let imported = Imported {
        name: name.map(str::to_owned),
        path: path.to_path_buf(),
        kind: store.kind(),
        dtype: store.dtype().clone(),
        item_shape: store.item_shape().cloned(),
        codec: store.codec().kind(),
        records: store.len(),
    };
    store.close()?;
    Ok(imported)
}
