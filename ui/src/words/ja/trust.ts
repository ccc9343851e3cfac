import type * as source from "../en/trust";
import type { Translated } from "../message";

export const trustedFolders: Translated<typeof source.trustedFolders> = {
  title: "信頼済みフォルダー",
  help: "これらのフォルダーと、そこから Loopdeck が作成したワークツリーでは、エージェントとテストコマンドを実行できます。ほかの場所では何も実行しません。",
  none: "信頼済みのフォルダーはありません。",
  revoke: "取り消す",
  revokeOf: "{path} の信頼を取り消す",
  revoked: "{path} は信頼されなくなりました。実行中のものは続きます。",
  sign: "信頼済み",
  signText: "信頼済み：Loopdeck はここでエージェントとテストコマンドを実行できます。",
  trust: "このフォルダーを信頼",
  trustText: "Loopdeck がエージェントとこのフォルダーのテストを実行できるようになります。",
  untrust: "このフォルダーの信頼をやめる",
  trusted: "{name} を信頼しました。",
  untrusted: "{name} は信頼されなくなりました。",
};

export const notifications: Translated<typeof source.notifications> = {
  title: "通知",
  help: "このウィンドウが前面にないときにシステムが表示します。通常の進行では通知しません。",
  needs_you: "ループで対応が必要",
  failed: "ループが失敗または中断",
  limit: "ループが上限に到達",
  finished: "ループが終了",
  tray: "ウィンドウを閉じてもトレイで実行を続ける",
  trayHelp: "ループは続き、質問もできます。オフの場合は、閉じるときにループをどうするか尋ねます。",
  agents: "エージェント",
  agentsHelp: "Loopdeck が実行できるエージェントとその問題。",
};
