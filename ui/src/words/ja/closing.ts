import type * as en from "../en/closing";
import type { Translated } from "../message";

export const closing = {
  title: "{count} 件の実行が進行中です",
  keepInTray: "トレイで実行を続ける",
  keepInTrayText: "ウィンドウは閉じ、実行は続きます。トレイのアイコンからウィンドウを開けます。",
  keepHidden: "ウィンドウなしで実行を続ける",
  keepHiddenText:
    "ウィンドウは閉じ、実行は続きます。このデスクトップにはトレイがないため、もう一度 Loopdeck を起動するとウィンドウが開きます。",
  stopAndQuit: "{count} 件の実行を停止して終了",
  stopAndQuitText:
    "すべてのエージェントをそのプロセスごと終了し、ループをあなたが停止したものとして記録します。ファイルの変更は残ります。",
  stay: "キャンセル",
  nothing: "進行中の実行はありません",
  nothingText: "このダイアログを表示している間に、最後の実行が終わりました。",
  quit: "終了",
  stopTitle: "{count} 件の実行を停止しますか？",
  stopText:
    "すべてのエージェントをそのプロセスごと終了し、ループをあなたが停止したものとして記録します。ファイルの変更は残ります。Loopdeck は開いたままです。",
  stop: "{count} 件の実行を停止",
  keep: "実行を続ける",
  stopping: "{count} 件の実行を停止しています…",
  stoppingText: "エージェントにまず終了を求め、応じなければ終了させます。30 秒ほどかかることがあります。",
  left: "実行中のプロセスが残っています",
  leftText: "それらが終わるまで Loopdeck は開いたままです。どのプロセスかは各ループに表示されます。",
  understood: "ループを表示",
} satisfies Translated<typeof en.closing>;
