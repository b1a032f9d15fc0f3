//! Files and folders become stores.

use std::path::Path;

use napi::bindgen_prelude::{AsyncTask, Uint8Array};
use napi_derive::napi;
use recask::convert::{self, CodecChoice, ImportOptions, Imported};
use recask::{Result, Tier};

use crate::error::invalid;
use crate::numbers::{count, level};
use crate::task::{Job, later, now};
use crate::values::value;
use crate::watch::{NativeStop, Told, Watch};

/// How a source becomes stores.
#[napi(object, js_name = "RawStoreImport", object_to_js = false)]
pub struct StoreImport {
    /// How records are stored; by default what the other options need, else `raw`.
    #[napi(ts_type = "'raw' | 'zstd' | 'zstd_dict'")]
    pub codec: Option<String>,
    /// The compression level; the codec's own by default.
    pub level: Option<f64>,
    /// For `zstd_dict`.
    pub dictionary: Option<Uint8Array>,
    /// How large a dictionary to train from the source, for `zstd_dict`.
    #[napi(ts_type = "'fast' | 'balanced' | 'max'")]
    pub train: Option<String>,
    /// The arrays of an npz or fields of JSON lines to take; all by default.
    pub fields: Option<Vec<String>>,
}

/// A store that an import made.
#[napi(object, js_name = "RawImportedStore", object_from_js = false)]
#[derive(Debug)]
pub struct ImportedStore {
    /// The stream; `undefined` where the destination itself is the store.
    pub name: Option<String>,
    /// Its directory.
    pub path: String,
    /// Dense or ragged.
    #[napi(ts_type = "'dense' | 'ragged'")]
    pub kind: String,
    /// The type of one element.
    pub dtype: String,
    /// The shape of one record of a dense store.
    pub item_shape: Option<Vec<f64>>,
    /// How records are stored.
    #[napi(ts_type = "'raw' | 'zstd' | 'zstd_dict'")]
    pub codec: String,
    /// How many there are.
    pub records: f64,
}

/// Makes stores of a file or folder: npy, npz, IDX, JSON lines, a folder of files. Progress counts bytes of the source.
///
/// # Errors
/// `invalid_source`, `store_exists`, `training_failed`, `interrupted`, … as the native crate says; what was made is removed then.
#[napi(
    ts_args_type = "source: string, dest: string, options: RawStoreImport, stop?: NativeStop | null, progress?: ((done: number, total: number) => void) | null",
    ts_return_type = "Promise<RawImportedStore[]>"
)]
pub fn import_stores(
    source: String,
    dest: String,
    options: StoreImport,
    stop: Option<&NativeStop>,
    progress: Option<Told<'_>>,
) -> napi::Result<AsyncTask<Job<Vec<ImportedStore>>>> {
    let (options, watch) = now(|| Ok((options.options()?, Watch::new(stop, progress.as_ref())?)))?;
    Ok(later(move || imported(&source, &dest, &options, &watch), value))
}

/// The same at once.
///
/// # Errors
/// As `importStores`.
#[napi]
pub fn import_stores_sync(
    source: String,
    dest: String,
    options: StoreImport,
) -> napi::Result<Vec<ImportedStore>> {
    now(|| imported(&source, &dest, &options.options()?, &Watch::default()))
}

/// Appends a file or folder to a store that it fits; answers how many records that makes. Progress counts bytes of the source.
///
/// # Errors
/// `dtype_mismatch`, `shape_mismatch`, `kind_mismatch`, `invalid_source`, `store_busy`, `interrupted`, …
#[napi(
    ts_args_type = "store: string, source: string, stop?: NativeStop | null, progress?: ((done: number, total: number) => void) | null",
    ts_return_type = "Promise<number>"
)]
pub fn append_source(
    store: String,
    source: String,
    stop: Option<&NativeStop>,
    progress: Option<Told<'_>>,
) -> napi::Result<AsyncTask<Job<f64>>> {
    let watch = now(|| Watch::new(stop, progress.as_ref()))?;
    Ok(later(move || appended(&store, &source, &watch), value))
}

/// The same at once.
///
/// # Errors
/// As `appendSource`.
#[napi]
pub fn append_source_sync(store: String, source: String) -> napi::Result<f64> {
    now(|| appended(&store, &source, &Watch::default()))
}

impl StoreImport {
    fn options(self) -> Result<ImportOptions> {
        let level = self.level.map(level).transpose()?;
        let tier = self.train.as_deref().map(tier_of).transpose()?;
        let implied = match (&self.dictionary, tier, level) {
            (None, None, None) => "raw",
            (None, None, Some(_)) => "zstd",
            _ => "zstd_dict",
        };
        let codec = match (self.codec.as_deref().unwrap_or(implied), self.dictionary, tier) {
            ("zstd_dict", Some(dictionary), None) => {
                CodecChoice::ZstdDict { dictionary: dictionary.to_vec(), level }
            }
            ("zstd_dict", None, Some(tier)) => CodecChoice::TrainDict { tier, level },
            ("zstd_dict", ..) => {
                return Err(invalid(
                    "the codec zstd_dict takes a dictionary, or has one trained: give one of both",
                ));
            }
            ("raw" | "zstd", dictionary, tier) if dictionary.is_some() || tier.is_some() => {
                return Err(invalid("only the codec zstd_dict has a dictionary"));
            }
            ("raw", ..) if level.is_some() => return Err(invalid("the codec raw has no level; choose zstd")),
            ("raw", ..) => CodecChoice::Raw,
            ("zstd", ..) => CodecChoice::Zstd { level },
            (other, ..) => {
                return Err(invalid(format!("there is no codec '{other}'; use raw, zstd or zstd_dict")));
            }
        };
        Ok(ImportOptions { codec, fields: self.fields })
    }
}

fn tier_of(name: &str) -> Result<Tier> {
    Tier::from_name(name).ok_or_else(|| {
        invalid(format!("there is no size of dictionaries '{name}'; use fast, balanced or max"))
    })
}

fn imported(source: &str, dest: &str, options: &ImportOptions, watch: &Watch) -> Result<Vec<ImportedStore>> {
    let source = Path::new(source);
    watch.check()?;
    watch.expect(convert::import_units(source)?);
    let made = convert::import(source, Path::new(dest), options, watch)?;
    Ok(made.into_iter().map(ImportedStore::from).collect())
}

fn appended(store: &str, source: &str, watch: &Watch) -> Result<f64> {
    let source = Path::new(source);
    watch.check()?;
    watch.expect(convert::append_units(source)?);
    convert::append(Path::new(store), source, watch).map(count)
}

impl From<Imported> for ImportedStore {
    fn from(made: Imported) -> Self {
        let shape = made.item_shape.as_ref();
        ImportedStore {
            name: made.name,
            path: made.path.display().to_string(),
            kind: made.kind.as_str().to_owned(),
            dtype: made.dtype.to_string(),
            item_shape: shape.map(|shape| shape.dims().iter().map(|&extent| count(extent)).collect()),
            codec: made.codec.as_str().to_owned(),
            records: count(made.records),
        }
    }
}
