use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use super::*;
use crate::storage::conformance::{Abilities, storage_suite};
use crate::storage::{LockMode, OpenMode, Storage as _, StorageFile as _};

const FILE: FileId = FileId::Chunk(0);

/// A disk with one durable file, and nothing counted.
fn disk_with(content: &[u8]) -> (FaultStorage, FaultFile) {
    let disk = FaultStorage::from_image(&MemoryStorage::from_files([("0.chunk".into(), content.to_vec())]));
    let file = disk.open(FILE, OpenMode::ReadWrite).unwrap();
    (disk, file)
}

fn content(image: &MemoryStorage) -> Option<Vec<u8>> {
    image.files().into_iter().find(|(name, _)| name == "0.chunk").map(|(_, content)| content)
}

fn live(disk: &FaultStorage) -> Vec<u8> {
    content(&disk.crash_image(Survival::All)).unwrap()
}

/// Everything that may be left of the file, over many seeds.
fn outcomes(disk: &FaultStorage) -> BTreeSet<Option<Vec<u8>>> {
    (0..2000).map(|seed| content(&disk.crash_image(Survival::Subset(seed)))).collect()
}

#[test]
fn conforms_while_nothing_is_armed() {
    let make = || FaultStorage::from_image(&MemoryStorage::from_files([("notes.txt".into(), Vec::new())]));
    storage_suite(&make, Abilities { locks: true, sparse: false, foreign_name: Some("notes.txt") });
}

#[test]
fn only_a_sync_makes_content_durable() {
    let (disk, file) = disk_with(b"old");
    file.write_all_at(0, b"newer").unwrap();
    assert_eq!(content(&disk.crash_image(Survival::None)).unwrap(), b"old");
    assert_eq!(live(&disk), b"newer");
    disk.sync_names().unwrap();
    assert_eq!(content(&disk.crash_image(Survival::None)).unwrap(), b"old");
    file.sync().unwrap();
    assert_eq!(content(&disk.crash_image(Survival::None)).unwrap(), b"newer");
    assert_eq!(outcomes(&disk), BTreeSet::from([Some(b"newer".to_vec())]));
}

#[test]
fn a_sync_is_of_one_file_only() {
    let (disk, file) = disk_with(b"old");
    let other = disk.open(FileId::Meta, OpenMode::CreateNew).unwrap();
    file.write_all_at(0, b"new").unwrap();
    other.sync().unwrap();
    assert_eq!(content(&disk.crash_image(Survival::None)).unwrap(), b"old");
}

#[test]
fn only_a_sync_of_names_makes_a_creation_durable() {
    let disk = FaultStorage::new();
    let file = disk.open(FILE, OpenMode::CreateNew).unwrap();
    file.write_all_at(0, b"x").unwrap();
    file.sync().unwrap();
    assert_eq!(content(&disk.crash_image(Survival::None)), None);
    assert_eq!(outcomes(&disk), BTreeSet::from([None, Some(b"x".to_vec())]));
    disk.sync_names().unwrap();
    assert_eq!(outcomes(&disk), BTreeSet::from([Some(b"x".to_vec())]));
}

#[test]
fn a_removal_may_be_undone_until_the_names_are_synced() {
    let (disk, _file) = disk_with(b"x");
    disk.remove(FILE).unwrap();
    assert_eq!(content(&disk.crash_image(Survival::All)), None);
    assert_eq!(content(&disk.crash_image(Survival::None)), Some(b"x".to_vec()));
    assert_eq!(outcomes(&disk), BTreeSet::from([None, Some(b"x".to_vec())]));
    disk.sync_names().unwrap();
    assert_eq!(outcomes(&disk), BTreeSet::from([None]));
}

#[test]
fn a_file_made_again_is_a_new_file() {
    let (disk, _file) = disk_with(b"first");
    disk.remove(FILE).unwrap();
    let second = disk.open(FILE, OpenMode::CreateNew).unwrap();
    second.write_all_at(0, b"2nd").unwrap();
    second.sync().unwrap();
    let expected = [None, Some(b"first".to_vec()), Some(b"2nd".to_vec())];
    assert_eq!(outcomes(&disk), BTreeSet::from(expected));
}

#[test]
fn unsynced_writes_survive_in_any_combination() {
    let (disk, file) = disk_with(b"..");
    file.write_all_at(0, b"a").unwrap();
    file.write_all_at(1, b"b").unwrap();
    let expected = [b"..", b"a.", b".b", b"ab"].map(|left| Some(left.to_vec()));
    assert_eq!(outcomes(&disk), BTreeSet::from(expected));
}

#[test]
fn surviving_writes_keep_their_order() {
    let (disk, file) = disk_with(b".");
    file.write_all_at(0, b"a").unwrap();
    file.write_all_at(0, b"b").unwrap();
    assert_eq!(outcomes(&disk), BTreeSet::from([b".", b"a", b"b"].map(|left| Some(left.to_vec()))));
}

#[test]
fn each_sector_of_a_write_survives_on_its_own() {
    let (disk, file) = disk_with(&[0; 1000]);
    file.write_all_at(500, &[1; 500]).unwrap();
    let with = |head: u8, tail: u8| Some([vec![0; 500], vec![head; 12], vec![tail; 488]].concat());
    assert_eq!(outcomes(&disk), BTreeSet::from([with(0, 0), with(0, 1), with(1, 0), with(1, 1)]));
}

#[test]
fn a_lost_extension_leaves_zeros_or_a_shorter_file() {
    let (disk, file) = disk_with(b"x");
    file.write_all_at(1, b"yz").unwrap();
    let expected = [&b"x"[..], b"x\0\0", b"xyz"].map(|left| Some(left.to_vec()));
    assert_eq!(outcomes(&disk), BTreeSet::from(expected));
}

#[test]
fn an_unsynced_cut_may_be_lost_also_when_the_file_grew_again() {
    let (disk, file) = disk_with(b"abc");
    file.set_len(1).unwrap();
    file.set_len(2).unwrap();
    assert_eq!(live(&disk), b"a\0");
    let expected = [&b"abc"[..], b"a", b"ab", b"a\0"].map(|left| Some(left.to_vec()));
    assert_eq!(outcomes(&disk), BTreeSet::from(expected));
}

#[test]
fn a_seed_repeats_its_image() {
    let (disk, file) = disk_with(&[0; 4096]);
    for at in 0..8 {
        file.write_all_at(at * 500, &[1; 700]).unwrap();
    }
    for seed in 0..20 {
        let survival = Survival::Subset(seed);
        assert_eq!(disk.crash_image(survival).files(), disk.crash_image(survival).files());
    }
    assert!(outcomes(&disk).len() > 500);
}

#[test]
fn a_frozen_storage_refuses_everything() {
    let (disk, file) = disk_with(b"x");
    disk.open(FileId::Lock, OpenMode::CreateNew).unwrap();
    disk.freeze_at(1, Applied::Nothing);
    assert!(!disk.is_frozen());
    let frozen = file.sync().unwrap_err();
    assert_eq!((frozen.kind(), disk.is_frozen()), (StorageErrorKind::Other, true));
    let refusals = [
        file.len().map(drop),
        file.read_exact_at(0, &mut [0]),
        file.write_all_at(0, b"y"),
        file.set_len(0),
        file.sync(),
        disk.open(FILE, OpenMode::Read).map(drop),
        disk.open(FileId::Meta, OpenMode::OpenOrCreate).map(drop),
        disk.remove(FILE),
        disk.names().map(drop),
        disk.sync_names(),
        disk.lock(FileId::Lock, LockMode::Exclusive).map(drop),
    ];
    for refusal in refusals {
        assert_eq!(alloc::format!("{}", refusal.unwrap_err()), "the storage is frozen");
    }
    assert_eq!(disk.operations(), [Operation::Create(FileId::Lock), Operation::Sync(FILE)]);
    assert_eq!(live(&disk), b"x");
}

#[test]
fn the_freezing_write_happens_wholly_partly_or_not_at_all() {
    let left = |applied| {
        let (disk, file) = disk_with(b"");
        disk.freeze_at(0, applied);
        file.write_all_at(0, &[1; 1000]).unwrap_err();
        live(&disk).len()
    };
    assert_eq!(left(Applied::Nothing), 0);
    assert_eq!(left(Applied::Whole), 1000);
    let torn: BTreeSet<_> = (0..50).map(|seed| left(Applied::Torn(seed))).collect();
    assert_eq!(torn, BTreeSet::from([0, 512, 1000]));
}

#[test]
fn a_freezing_sync_may_have_reached_the_disk() {
    let left = |applied| {
        let (disk, file) = disk_with(b"old");
        file.write_all_at(0, b"new").unwrap();
        disk.freeze_at(1, applied);
        file.sync().unwrap_err();
        content(&disk.crash_image(Survival::None)).unwrap()
    };
    assert_eq!(left(Applied::Whole), b"new");
    assert_eq!(left(Applied::Nothing), b"old");
    let torn: BTreeSet<_> = (0..50).map(|seed| left(Applied::Torn(seed))).collect();
    assert_eq!(torn, BTreeSet::from([b"new".to_vec(), b"old".to_vec()]));
}

#[test]
fn a_failure_happens_once_and_may_leave_a_torn_write() {
    let (disk, file) = disk_with(b"");
    disk.fail_at(1, StorageErrorKind::Full, Applied::Torn(3));
    file.write_all_at(0, &[1; 600]).unwrap();
    assert_eq!(file.write_all_at(600, &[2; 5000]).unwrap_err().kind(), StorageErrorKind::Full);
    let left = live(&disk).len();
    assert!(left == 600 || left == 5600 || left.is_multiple_of(512), "{left} bytes are no torn write");
    file.write_all_at(600, &[2; 5000]).unwrap();
    assert_eq!(live(&disk).len(), 5600);
    assert_eq!(disk.operations().len(), 3);
}

#[test]
fn a_failed_create_or_remove_leaves_the_names_as_told() {
    let disk = FaultStorage::new();
    disk.fail_at(0, StorageErrorKind::Full, Applied::Nothing);
    assert_eq!(disk.open(FILE, OpenMode::CreateNew).unwrap_err().kind(), StorageErrorKind::Full);
    assert!(disk.names().unwrap().is_empty());
    disk.fail_at(1, StorageErrorKind::Other, Applied::Whole);
    disk.open(FILE, OpenMode::OpenOrCreate).unwrap_err();
    assert_eq!(disk.names().unwrap(), ["0.chunk"]);
    disk.fail_at(2, StorageErrorKind::Other, Applied::Nothing);
    disk.remove(FILE).unwrap_err();
    assert_eq!(disk.names().unwrap(), ["0.chunk"]);
}

#[test]
fn a_chosen_read_fails_once() {
    let (disk, file) = disk_with(b"x");
    disk.fail_read_at(1, StorageErrorKind::Other);
    let mut byte = [0];
    file.read_exact_at(0, &mut byte).unwrap();
    assert_eq!(file.read_exact_at(0, &mut byte).unwrap_err().kind(), StorageErrorKind::Other);
    file.read_exact_at(0, &mut byte).unwrap();
    assert_eq!(disk.reads(), 3);
}

#[test]
fn disarmed_failures_do_not_happen() {
    let (disk, file) = disk_with(b"x");
    disk.fail_at(0, StorageErrorKind::Full, Applied::Nothing);
    disk.fail_read_at(0, StorageErrorKind::Other);
    disk.disarm();
    file.write_all_at(0, b"y").unwrap();
    file.read_exact_at(0, &mut [0]).unwrap();
    disk.freeze_at(1, Applied::Nothing);
    disk.disarm();
    file.sync().unwrap();
}

#[test]
fn reading_and_locking_are_no_operations() {
    let (disk, file) = disk_with(b"x");
    let reader = disk.open(FILE, OpenMode::Read).unwrap();
    reader.read_exact_at(0, &mut [0]).unwrap();
    disk.open(FILE, OpenMode::OpenOrCreate).unwrap();
    let _lock = disk.lock(FILE, LockMode::Shared).unwrap();
    file.write_all_at(9, b"").unwrap();
    disk.names().unwrap();
    assert_eq!(disk.operations(), []);
    let _lock = disk.lock(FileId::Journal, LockMode::Exclusive).unwrap();
    assert_eq!(disk.operations(), [Operation::Create(FileId::Journal)]);
    disk.forget_operations();
    assert_eq!((disk.operations(), disk.reads()), (vec![], 0));
}

#[test]
fn parts_of_a_vectored_write_are_operations_of_a_sector_or_more() {
    let (disk, file) = disk_with(b"");
    let (small, large) = ([1; 200], [2; 700]);
    file.write_all_vectored_at(10, &[&small, &small, &small, &large, &small, &[]]).unwrap();
    let write = |offset, len| Operation::Write { file: FILE, offset, len };
    assert_eq!(disk.operations(), [write(10, 600), write(610, 700), write(1310, 200)]);
}

#[test]
fn settled_files_survive_as_they_are() {
    let disk = FaultStorage::new();
    disk.open(FILE, OpenMode::CreateNew).unwrap().write_all_at(0, b"x").unwrap();
    disk.settle();
    assert_eq!(content(&disk.crash_image(Survival::None)), Some(b"x".to_vec()));
    assert_eq!(disk.operations().len(), 2);
}
