import type * as source from "../en/needs";
import type { Translated } from "../message";

export const needs: Translated<typeof source.needs> = {
  title: "対応が必要",
  count: "対応が必要 {count} 件",
  ofLoop: "このループで対応が必要 {count} 件",
  none: "対応が必要なものはありません。",
  noneHint: "Loopdeck が実行するループの質問、許可、上限、失敗がここに表示されます。",
  stale: "読み直せなかったため、この一覧は古い可能性があります。",
  openLoop: "「{title}」を開く",
  showAll: "対応が必要なものを表示",
  agents: "エージェントを表示",
  answer: "回答",
  since: "{time} から待機中（{age}）",
  agent: "エージェント",
  folder: "フォルダー",
  theAgent: "エージェント",
  announced: "「{title}」で対応が必要です。{text}",
  announcedMore: "{text}ほかに {count} 件あります。",
  answered: "回答済み：{title}",
  withdrawn: "「{title}」はもう回答を待っていません。",
  keys: {
    title: "対応が必要なもの",
    open: "対応が必要なものを表示",
    send: "テキストを送信",
    close: "閉じる",
  },

  why: "理由：",
  input: "実際の入力",
  fromAgent: "エージェントより：",
  fromTests: "テストコマンドより：",
  files: "ファイル：",
  found: "これまでの結果：",
  report: "報告：",
  moreLines: "さらに {count} 行を表示",
  moreCharacters: "さらに {count} 文字を表示",
  fewerLines: "折りたたむ",
  cutInput: "最初の {count} 文字だけを表示しています。続きはここでは見られません。",
  cutOf: "全 {all} 文字のうち最初の {count} 文字だけを表示しています。",
  cutFirst: "全文を確認すると許可できるようになります。",
  showWhole: "入力の全文を表示",
  hidden: "見えない {count} 文字を ⟨U+202E⟩ のような番号で表示しています。",
  noInput: "エージェントは入力を示していません。",
  silence: "エージェントは待機中です。回答するまで何も許可されません。",

  allowOnce: "今回だけ許可",
  allowForRun: "この実行中は許可",
  allowForRunText: "この実行中は許可：この実行が終わるまで {tool} について再び尋ねません。",
  deny: "拒否",
  denyNote: "メモを付けて拒否…",
  note: "エージェントへのメモ",
  noteHelp: "省略できます。エージェントはこれを読み、この操作なしで続けます。",
  denySend: "このメモを付けて拒否",
  back: "戻る",

  yourAnswer: "回答",
  answerHelp: "{modifier} Enter で送信します。",
  say: "回答を送信",
  sayHint: "送信して再試行",
  tellAgent: "エージェントに伝えること",
  tryAgain: "再試行",
  goOn: "これなしで続ける",
  stop: "ループを停止",
  resume: "エージェントを起動して再開",
  startAgain: "もう一度起動",
  resumeNow: "今すぐ再開",
  restore: "ファイルを戻す",
  dismiss: "閉じる",
  showOutput: "出力を表示",
  choose: "次のアクション",

  extend: "上限を増やして再開",
  moreIterations: "追加する反復回数",
  newLimit: "上限は {limit} になります。",
  minutes: "次の起動での分数",
  money: "次の起動での金額（米ドル）",
  tokens: "次の起動でのトークン数",
  turns: "エージェントの実行 1 回のターン数",
  turnsHelp: "実行ごとに数えます。",
  anew: "起動すると最初から数え直します。",
  badAmount: "{least} から {most} までの数を入力してください。",

  continuesAt: "{time} に再開 · あと {left}",
  continuesSoon: "{time} に再開 · まもなく",
  endsAt: "提供元は {time} に利用可能になります · あと {left}。",
  ended: "提供元は {time} から利用可能です。",
  unknownEnd: "提供元は再び利用できる時刻を示していません。",
  optIn: "このループでは待機が選ばれていないため、Loopdeck は自動では再開しません。",

  signInHow: "ターミナルで次を実行してサインインし、再試行してください：",
  signInPlain: "ターミナルでエージェントを一度起動してサインインし、再試行してください。",

  leftText: "エージェントが起動し、エージェントと一緒に終了しなかったプロセスです。",
  leftUnknown: "Loopdeck に確認する権限がないか、システムでは判断できません。",
  pid: "プロセス",
  name: "名前",
  endThem: "これらを終了",
  lookAgain: "もう一度調べて終了",

  interruptedText:
    "起動した Loopdeck と一緒にドライバーも終了しました。ファイルへの変更はそのまま残り、アクションはやり直されます。",
  takenOver:
    "別の Loopdeck がこのループを引き継ぎました。エージェントがファイルに加えた変更は残り、アクションは再開した側でやり直されます。",
  interruptedAction: "実行していたアクション：{action}",
};

export const need: Translated<typeof source.need> = {
  permission: "許可",
  question: "質問",
  menu: "次のアクション",
  limit_reached: "上限に到達",
  usage_limit: "利用上限",
  sign_in: "サインイン",
  failed: "失敗",
  left_over: "残ったプロセス",
  interrupted: "中断",
};

export const needSays: Translated<typeof source.needSays> = {
  permission: "{agent} が {tool} を使おうとしています。",
  question: "質問があります。",
  menu: "次のアクションはどれですか？",
  usage_limit: "{agent} が利用上限に達しました。",
  usage_limit_waiting: "{agent} の利用上限が解除されるのを待っています。",
  sign_in: "{agent} はサインインしていません。",
  left_over: "停止後に {count} 個のプロセスが残っています。",
  left_unknown: "すべてのプロセスが終了したか判断できません。",
  interrupted: "実行が中断されました。",
};

export const needQuestion: Translated<typeof source.needQuestion> = {
  agent_asks: "{agent} から質問があります。",
  task_failed: "タスク {about} が {count} 回失敗しました。",
  worker_failed: "ワーカー {about} が {count} 回失敗しました。",
  debug_inconclusive: "{count} 回のデバッグで原因が見つかりませんでした。",
  tests_keep_failing: "同じテストが {count} 回の実行で失敗しました。",
  answer_unreadable: "「{about}」への {agent} の回答を読み取れません。",
  agent_fails: "{agent} が「{about}」を完了できません。",
  no_tests: "テストコマンドはテストを 1 つも実行しませんでした。",
  tests_cannot_run: "テストコマンドを実行できませんでした。",
  no_tasks: "ループにタスクがありません。",
  conflicts: "複数のワーカーが同じファイルを変更しました。",
};

export const answerError: Translated<typeof source.answerError> = {
  no_object: "回答に JSON オブジェクトがありません。",
  not_json: "有効な JSON ではありません。",
  missing: "この項目がないか、空です。",
  wrong_type: "この値の型が正しくありません。",
  unknown_word: "この語はここでは使えません。",
  too_many: "項目が多すぎます。",
  bad_id: "ID は * ` / \\ : を含まない 100 文字以内の 1 語でなければなりません。",
  repeated_id: "この ID は 2 回使われています。",
  bad_path: "パスはフォルダーからの相対パスで、「..」を含まないものでなければなりません。",
  wrong_task: "これは渡されたタスクではありません。",
  not_confirmed: "確認された仮説は、確認済みとして一覧に含める必要があります。",
};

export const answerErrorLine: Translated<typeof source.answerErrorLine> = {
  at: "{place}: {error}",
  found: "{line} 実際の内容: {found}",
};

export const needGoOn: Translated<typeof source.needGoOn> = {
  agent_asks: "エージェントに任せる",
  task_failed: "タスクを失敗のままにする",
  worker_failed: "このワーカーなしで続ける",
  debug_inconclusive: "デバッグを続ける",
  tests_keep_failing: "試行を続ける",
  answer_unreadable: "これなしで続ける",
  agent_fails: "これなしで続ける",
  no_tests: "テストなしで完了する",
  tests_cannot_run: "テストなしで完了する",
  no_tasks: "タスクなしで続ける",
  conflicts: "ファイルは正しいので続ける",
};

export const needLimit: Translated<typeof source.needLimit> = {
  iterations: "反復回数をすべて使いました。",
  time: "時間の上限に達しました。",
  money: "金額の上限に達しました。",
  tokens: "トークンの上限に達しました。",
  turns: "エージェントの実行がターンの上限に達しました。",
  otherwise: "上限に達しました。",
};

export const needFailed: Translated<typeof source.needFailed> = {
  skill_missing:
    "{agent} はコマンド {command} を認識しません。スキルがインストールされておらず、何も行われませんでした。",
  skill_unfinished: "{agent} は終了しましたが、ファイルは実行中のままです。",
  file_gone: "{agent} の作業中に状態ファイルがなくなりました。フォルダーで行われた内容はそのままです。",
  marked_failed: "{agent} がまだ作業中ですが、ファイルが外部から「失敗」に変更されました。",
  task_failed: "{agent} がエラーで終了しました。",
  limit: "{agent} が利用上限に達しました。",
  auth: "{agent} はサインインしていません。",
  budget: "実行が許可された分を使い切りました。",
  cancelled: "実行は取り消されました。",
  crashed: "{agent} が結果を出さずに終了しました。",
  unknown: "{agent} は終了しましたが、結果を判断できません。",
  damaged: "状態ファイルを使えないため、実行を終了しました。",
  otherwise: "実行に失敗しました。",
};

export const needAction: Translated<typeof source.needAction> = {
  init: { name: "計画", text: "作業内容を読み、タスクに分けます。" },
  develop: { name: "開発", text: "次の未完了タスクに取り組み、ファイルを変更します。" },
  debug: { name: "デバッグ", text: "仮説を立てて失敗の原因を探します。" },
  validate: { name: "検証", text: "テストコマンドを実行し、結果を読み取ります。" },
  complete: { name: "仕上げ", text: "作業をまとめ、ループを終了します。" },
};
