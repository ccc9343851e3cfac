//! The log of a run: appended data can be read from any position, even when the end was torn or the middle
//! dropped.

use loopdeck_core::times::Timestamp;
use loopdeck_runtime::runs::log::{FrameBuffer, LogReader, LogWriter, Stream, largest_frame};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn folder() -> TempDir {
    TempDir::with_prefix("loopdeck-log-").unwrap()
}

fn append(writer: &mut LogWriter, stream: Stream, text: &[u8]) {
    let mut framed = FrameBuffer::default();
    let mut text = text;
    while framed.fill(&mut text).unwrap() > 0 {
        writer.append(&mut framed, stream, Timestamp::from_millis(1_000)).unwrap();
    }
}

fn writer(run: &Path, cap: u64) -> LogWriter {
    LogWriter::open(&run.join("log"), cap).unwrap()
}

fn last_segment(run: &Path) -> PathBuf {
    let mut segments: Vec<PathBuf> =
        fs::read_dir(run.join("log")).unwrap().map(|entry| entry.unwrap().path()).collect();
    segments.sort();
    segments.pop().unwrap()
}

#[test]
fn a_log_that_is_not_there_is_empty() {
    let run = folder();
    let reader = LogReader::of_run(run.path());
    let window = reader.read(0, 100).unwrap();
    assert!(window.at_end && window.pieces.is_empty());
    assert_eq!(reader.end().unwrap(), 0);
}

#[test]
fn a_reader_goes_on_where_it_stopped() {
    let run = folder();
    let (mut writer, reader) = (writer(run.path(), 1 << 20), LogReader::of_run(run.path()));
    append(&mut writer, Stream::Out, b"one");
    append(&mut writer, Stream::Err, b"two");
    let first = reader.read(0, 1).unwrap();
    assert_eq!(
        (first.pieces.len(), first.pieces[0].bytes.as_slice(), first.at_end),
        (1, b"one".as_slice(), false)
    );
    let second = reader.read(first.next, 100).unwrap();
    assert_eq!(second.pieces[0].stream, Stream::Err);
    assert!(second.at_end);
    assert!(reader.read(second.next, 100).unwrap().pieces.is_empty());
    append(&mut writer, Stream::Out, b"three");
    let third = reader.read(second.next, 100).unwrap();
    assert_eq!(third.pieces[0].bytes, b"three");
    assert_eq!(third.pieces[0].at, Timestamp::from_millis(1_000));
    assert_eq!(third.next, writer.end());
    assert_eq!(third.next, reader.end().unwrap());
}

#[test]
fn a_torn_tail_at_any_place_is_ignored_and_continued() {
    let whole = {
        let run = folder();
        append(&mut writer(run.path(), 1 << 20), Stream::Out, b"torn");
        fs::read(last_segment(run.path())).unwrap()
    };
    for cut in 0..whole.len() {
        let run = folder();
        append(&mut writer(run.path(), 1 << 20), Stream::Out, b"before");
        let mut file = fs::File::options().append(true).open(last_segment(run.path())).unwrap();
        file.write_all(&whole[..cut]).unwrap();
        let reader = LogReader::of_run(run.path());
        let window = reader.read(0, 100).unwrap();
        assert_eq!(window.pieces.len(), 1, "cut at {cut}");
        assert!(window.at_end);
        assert_eq!(reader.end().unwrap(), window.next);
        append(&mut writer(run.path(), 1 << 20), Stream::Out, b"after");
        let window = reader.read(0, 100).unwrap();
        assert_eq!(window.pieces[1].bytes, b"after", "cut at {cut}");
        assert_eq!(window.dropped, 0);
    }
}

#[test]
fn zeros_at_the_end_as_after_a_power_loss_are_no_frame() {
    let run = folder();
    append(&mut writer(run.path(), 1 << 20), Stream::Out, b"before");
    fs::File::options().append(true).open(last_segment(run.path())).unwrap().write_all(&[0; 100]).unwrap();
    let window = LogReader::of_run(run.path()).read(0, 1_000).unwrap();
    assert_eq!((window.pieces.len(), window.at_end), (1, true));
}

#[test]
fn the_first_segment_and_the_newest_are_kept_within_the_cap() {
    let run = folder();
    let cap = 1 << 20;
    let mut writer = writer(run.path(), cap);
    let mut appended = Vec::new();
    for n in 0..5_000_u32 {
        let line = format!("{n:0999}\n");
        append(&mut writer, Stream::Out, line.as_bytes());
        appended.push(line);
    }
    let size: u64 =
        fs::read_dir(run.path().join("log")).unwrap().map(|e| e.unwrap().metadata().unwrap().len()).sum();
    assert!((cap / 2..=cap).contains(&size), "{size}");
    // Windows never hide a gap, and their data is what was appended.
    let reader = LogReader::of_run(run.path());
    let (mut from, mut lines, mut gaps) = (0, Vec::new(), Vec::new());
    loop {
        let window = reader.read(from, 100_000).unwrap();
        if window.dropped > 0 {
            gaps.push((lines.len(), window.dropped));
        }
        assert!(window.pieces.windows(2).all(|pair| pair[1].position == pair[0].position + 1_016));
        lines.extend(window.pieces.into_iter().map(|piece| String::from_utf8(piece.bytes).unwrap()));
        if window.at_end {
            break;
        }
        from = window.next;
    }
    let [(before, dropped)] = gaps[..] else { panic!("{gaps:?}") };
    let missing = usize::try_from(dropped).unwrap() / 1_016;
    assert_eq!(before + missing + (lines.len() - before), appended.len());
    assert_eq!(lines[..before], appended[..before]);
    assert_eq!(lines[before..], appended[before + missing..]);
}

#[test]
fn any_position_leads_to_the_frame_it_lies_in() {
    let run = folder();
    let mut writer = writer(run.path(), 1 << 20);
    for _ in 0..200 {
        append(&mut writer, Stream::Out, &[b'y'; 984]); // frames of 1,000 bytes
    }
    let reader = LogReader::of_run(run.path());
    for position in [0, 1, 999, 1_000, 65_500, 65_999, 66_000, 123_456] {
        let aligned = reader.align(position).unwrap();
        assert_eq!(aligned, position / 1_000 * 1_000, "{position}");
        assert_eq!(reader.read(aligned, 1).unwrap().pieces[0].position, aligned);
    }
    assert_eq!(reader.align(u64::MAX).unwrap(), 200_000);
}

#[test]
fn long_output_comes_in_many_frames_and_together_again() {
    let run = folder();
    let text: Vec<u8> = (0..1_000_000_u32).map(|n| n.to_le_bytes()[1]).collect();
    append(&mut writer(run.path(), 64 << 20), Stream::Out, &text);
    let window = LogReader::of_run(run.path()).read(0, usize::MAX).unwrap();
    assert!(window.pieces.iter().all(|piece| piece.bytes.len() <= largest_frame()));
    let together: Vec<u8> = window.pieces.into_iter().flat_map(|piece| piece.bytes).collect();
    assert!(together == text);
}
