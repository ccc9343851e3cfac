//! Texts that are hard on a layout.

/// A word without a place to break it.
pub(crate) const WORD: &str = "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetzesentwurfsbearbeitungsverzögerungsursachenforschungsberichtszusammenfassungsvorlagenverwaltung";
const LONG: &str = "When the session is renewed while a second tab holds the old token, the renewal wins on the server and loses in the \
browser, because the storage event arrives after the response has been written, and the tab that was slower signs the person out \
although nobody asked for it; this happens about once in four hundred renewals, only with the cookie of the shop and never with \
that of the account pages, and it has been seen on three machines with clocks that were right.";
const CHINESE: &str = "当第二个标签页仍持有旧令牌而会话正在续期时，服务器上的续期成功，但浏览器中的续期失败，因为存储事件在响应写入之后才到达，较慢的标签页会在没有任何人要求的情况下将用户登出";
const JAPANESE: &str = "ふたつめのタブが古いトークンを保持したままセッションが更新されると、サーバーでは更新が成功するのにブラウザーでは失敗し、遅いほうのタブが勝手にサインアウトします";
const ARABIC: &str = "عند تجديد الجلسة بينما تحتفظ علامة تبويب ثانية بالرمز القديم، ينجح التجديد على الخادم ويفشل في المتصفح (src/auth/session.rs:114)";
const HEBREW: &str =
    "החלון הראשון מחדש את ההפעלה בזמן שהחלון השני עדיין מחזיק באסימון הישן, ולכן המשתמש מנותק";
const MARKS: &str =
    "👩‍👩‍👧‍👦 <script>alert(1)</script> & \"quotes\" `ticks` **stars** \u{202e}right to left\u{202c} Z̷͎̈a̴l̶g̵o̷";
const SHORT: &str = "No";

/// One of many kinds of texts.
pub(crate) fn text(n: usize) -> &'static str {
    [LONG, WORD, CHINESE, ARABIC, SHORT, JAPANESE, HEBREW, MARKS][n % 8]
}

/// A path that gets deeper and longer with `n`.
pub(crate) fn path(n: usize) -> String {
    let deep = "packages/storefront-checkout-experience/src/".repeat(1 + n % 4);
    format!("{deep}VeryLongComponentNameThatSomebodyChoseWithCare{n}.integration.spec.tsx")
}

/// A minute of a long run.
pub(crate) fn time(minute: usize) -> String {
    format!("2026-11-{:02}T{:02}:{:02}:00.000Z", 1 + minute / 1_440 % 19, minute / 60 % 24, minute % 60)
}

/// The n-th of a few words, repeating.
pub(crate) fn one_of(words: &[&'static str], n: usize) -> &'static str {
    words[n % words.len()]
}
