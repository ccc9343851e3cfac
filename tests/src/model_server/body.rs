//! Request bodies as they arrive on the wire: chunked, and compressed.

use std::io::{self, BufRead, Read as _};

/// Joins the chunks of a body.
pub(super) fn read_chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut whole = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let digits = line.split(';').next().unwrap_or_default().trim();
        let size = u64::from_str_radix(digits, 16).map_err(io::Error::other)?;
        if size == 0 {
            break;
        }
        reader.take(size).read_to_end(&mut whole)?;
        reader.read_line(&mut String::new())?; // the line end after a chunk
    }
    let mut trailer = String::from("more");
    while !trailer.trim().is_empty() {
        trailer.clear();
        reader.read_line(&mut trailer)?;
    }
    Ok(whole)
}

/// Removes the compression named by `content-encoding`.
pub(super) fn decode(encoding: Option<&str>, raw: Vec<u8>) -> io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    match encoding {
        None | Some("identity") => return Ok(raw),
        Some("gzip" | "x-gzip") => flate2::read::GzDecoder::new(raw.as_slice()).read_to_end(&mut plain)?,
        Some("deflate") => flate2::read::ZlibDecoder::new(raw.as_slice()).read_to_end(&mut plain)?,
        Some("zstd") => {
            let decoder = ruzstd::decoding::StreamingDecoder::new(raw.as_slice());
            decoder.map_err(io::Error::other)?.read_to_end(&mut plain)?
        }
        Some(other) => return Err(io::Error::other(format!("a body in {other}"))),
    };
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn chunks_come_together() {
        let mut wire: &[u8] = b"4\r\nwhol\r\n1;note=x\r\ne\r\n0\r\nTrailer: 1\r\n\r\nnext";
        assert_eq!(read_chunks(&mut wire).unwrap(), b"whole");
        assert_eq!(wire, b"next");
    }

    #[test]
    fn compressions_are_taken_away() {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(b"body").unwrap();
        assert_eq!(decode(Some("gzip"), gzip.finish().unwrap()).unwrap(), b"body");
        // One frame with one raw block: magic, single segment of 4 bytes, last block of 4 raw bytes.
        let zstd = [&[0x28, 0xb5, 0x2f, 0xfd, 0x20, 4, 0x21, 0, 0][..], b"body"].concat();
        assert_eq!(decode(Some("zstd"), zstd).unwrap(), b"body");
        assert_eq!(decode(None, b"body".to_vec()).unwrap(), b"body");
        assert!(decode(Some("br"), Vec::new()).is_err());
    }
}
