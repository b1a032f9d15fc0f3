//! Zip archives of NumPy arrays.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use recask_core::Result;
use zip::ZipArchive;
use zip::read::ZipFile;
use zip::result::ZipError;

use super::array::{Array, Layout};
use super::npy;
use super::problem::{Site, check, unwritable};
use super::reading::{BUFFER, Counted, Data, Forward, Meter};
use super::transposed::Transposed;
use crate::fs::check_writable;
use crate::{Progress, system_seed};

/// An archive whose directory was read.
pub(super) struct Npz<'a> {
    path: &'a Path,
    meter: Meter,
    archive: ZipArchive<BufReader<Counted>>,
}

impl<'a> Npz<'a> {
    pub(super) fn open(path: &'a Path, meter: &Meter) -> Result<Self> {
        let site = Site::file(path);
        let file = BufReader::with_capacity(BUFFER, Counted::open(site, meter)?);
        let archive = ZipArchive::new(file).map_err(|error| damaged(site, error))?;
        if archive.has_duplicate_names() {
            return Err(site.invalid("two files in the archive have the same name"));
        }
        Ok(Npz { path, meter: meter.clone(), archive })
    }

    /// The arrays in the order of the archive, by the names that NumPy shows.
    pub(super) fn names(&self) -> Result<Vec<String>> {
        let site = Site::file(self.path);
        let mut names = Vec::new();
        for name in self.archive.file_names() {
            let name = name.map_err(|error| damaged(site, error))?;
            match name.strip_suffix(".npy") {
                Some(array) => names.push(array.to_owned()),
                None => return Err(site.invalid(format_args!("{name:?} in the archive is no array"))),
            }
        }
        if names.is_empty() { Err(site.invalid("the archive is empty")) } else { Ok(names) }
    }

    /// What an array holds.
    pub(super) fn layout(&mut self, name: &str) -> Result<Layout> {
        let site = Site { path: self.path, member: Some(name) };
        let packed = self.packed()?;
        let layout = npy::read_header(&mut self.member(name)?, site)?.layout(site)?;
        layout.fits_into(packed, site)?;
        Ok(layout)
    }

    /// An array from its first record. One in Fortran order is unpacked into `scratch` first.
    pub(super) fn array<'s>(
        &'s mut self,
        name: &str,
        scratch: &Scratch,
        progress: &dyn Progress,
    ) -> Result<Array<'s>> {
        let site = Site { path: self.path, member: Some(name) };
        let meter = self.meter.clone();
        let packed = self.packed()?;
        let mut member = self.member(name)?;
        let header = npy::read_header(&mut member, site)?;
        let layout = header.layout(site)?;
        layout.fits_into(packed, site)?;
        let data: Box<dyn Data> = if header.is_transposed() {
            let bytes = layout.bytes()?;
            let file = scratch.fill(&mut member, bytes, site, &meter, progress)?;
            Box::new(Transposed::new(BufReader::with_capacity(BUFFER, file), 0, &layout)?)
        } else {
            return Ok(Array { layout, data: Box::new(Forward(member)) });
        };
        Ok(Array { layout, data })
    }

    /// The bytes of the whole archive.
    fn packed(&self) -> Result<u64> {
        let site = Site::file(self.path);
        Ok(fs::metadata(self.path).map_err(|error| site.unreadable(error))?.len())
    }

    fn member(&mut self, name: &str) -> Result<ZipFile<'_, BufReader<Counted>>> {
        let site = Site { path: self.path, member: Some(name) };
        self.archive.by_name(&format!("{name}.npy")).map_err(|error| damaged(site, error))
    }
}

pub(super) fn damaged(site: Site<'_>, error: ZipError) -> recask_core::Error {
    match error {
        ZipError::Io(error) => site.unreadable(error),
        error => site.invalid(format_args!("the archive cannot be read: {error}")).caused_by(error),
    }
}

/// A file beside the new stores for data that has to be read in another order than it is packed. Removed on drop.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// Beside a store, so that there is room for both or for neither.
    pub(super) fn beside(store: &Path) -> Self {
        let name = store.file_name().unwrap_or_default().to_string_lossy();
        Scratch(store.with_file_name(format!(".{name}.unpacked")))
    }

    /// In any folder.
    pub(super) fn in_folder(folder: &Path) -> Result<Self> {
        Ok(Scratch(folder.join(format!(".recask-{:016x}.unpacked", system_seed()?))))
    }

    fn fill(
        &self,
        data: &mut dyn Read,
        bytes: u64,
        site: Site<'_>,
        meter: &Meter,
        progress: &dyn Progress,
    ) -> Result<File> {
        check_writable(&self.0)?;
        let failed = |error| unwritable(&self.0, error);
        let _ = fs::remove_file(&self.0);
        let mut file =
            File::options().read(true).write(true).create_new(true).open(&self.0).map_err(failed)?;
        let mut window = Vec::new();
        let mut left = bytes;
        loop {
            let wanted = left.min(super::array::WINDOW);
            // Behind the last byte there has to be nothing.
            super::reading::read_up_to(data, wanted.max(1), &mut window)
                .map_err(|error| site.unreadable(error))?;
            if window.len() as u64 != wanted {
                return Err(
                    site.invalid(format_args!("the array needs {bytes} bytes, the archive has others"))
                );
            }
            if left == 0 {
                break;
            }
            io::Write::write_all(&mut file, &window).map_err(failed)?;
            left -= wanted;
            meter.report(progress)?;
        }
        file.rewind().map_err(failed)?;
        check(progress)?;
        Ok(file)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
