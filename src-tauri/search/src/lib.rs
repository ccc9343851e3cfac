//! Full-text search: which documents have all words of a query, and where these are in a text.
//!
//! [`Index`] keeps the words of documents in an SQLite FTS5 table: each word once for each document, and no text. A
//! query finds the documents; whoever owns them reads their texts again and asks [`Query::places_in`] where the words are.
//! So the index stays small, is built about as fast as the files are read, and never shows a text that is no longer there.
//!
//! Words are ours and not a tokenizer's of FTS5: none of these finds two Chinese characters in a sentence, the second
//! part of `parseConfig`, or the text behind `\u4fee` in JSON. [`Words`] writes them the way FTS5's `ascii` tokenizer keeps them.
//!
//! ```
//! use loopdeck_search::{Index, Query, Words};
//!
//! let mut index = Index::in_memory()?;
//! let mut words = Words::default();
//! words.add_json(r#"{"title": "Fix the login, 修复登录"}"#.as_bytes());
//! index.update([("a.json".to_owned(), 1, words.take())].into_iter())?;
//!
//! let query = Query::new("登录 log").expect("it has words");
//! assert_eq!(index.matching(&query)?, ["a.json"]);
//! assert_eq!(query.places_in("Fix the login, 修复登录"), Some(vec![8..11, 21..27]));
//! # Ok::<(), loopdeck_search::Error>(())
//! ```

mod excerpt;
mod fold;
mod hashes;
mod index;
mod json;
mod lanes;
mod query;
mod words;

pub use excerpt::{Excerpt, Mark};
pub use index::{Error, Index};
pub use query::Query;
pub use words::Words;
