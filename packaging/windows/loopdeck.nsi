; The installer for one person, without an administrator. `cargo xtask cross package` fills in what stands between @ signs, in a folder with the files.
; The stub is for 64 bits: a 32-bit one would look at another part of the registry.

Unicode true
Target amd64-unicode
SetCompressor /SOLID lzma
ManifestDPIAware true
RequestExecutionLevel user

!include MUI2.nsh
!include LogicLib.nsh
!include WordFunc.nsh
!include WinMessages.nsh

!define KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\Loopdeck"
!define WEBVIEW "Microsoft\EdgeUpdate\Clients\{F3017226-FE2A-4295-8BDF-00C3A9A7E4C5}"
!define WEBVIEW_AT "https://go.microsoft.com/fwlink/p/?LinkId=2124703"

Name "Loopdeck"
OutFile "loopdeck-@VERSION@-setup.exe"
InstallDir "$LOCALAPPDATA\Programs\Loopdeck"
InstallDirRegKey HKCU "${KEY}" "InstallLocation"
VIProductVersion "@VERSION@.0"
VIAddVersionKey ProductName "Loopdeck"
VIAddVersionKey FileDescription "Loopdeck"
VIAddVersionKey FileVersion "@VERSION@"
VIAddVersionKey LegalCopyright "MIT OR Apache-2.0"

!define MUI_ICON "icon.ico"
!define MUI_UNICON "icon.ico"
!define MUI_FINISHPAGE_RUN "$INSTDIR\loopdeck-desktop.exe"
!define MUI_UNCONFIRMPAGE_TEXT_TOP "$(KEPT)"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "SimpChinese"
!insertmacro MUI_LANGUAGE "Japanese"

LangString KEPT ${LANG_ENGLISH} "Loopdeck will be removed. Your settings and the history of your loops stay in $APPDATA\loopdeck; delete that folder if you don’t need them."
LangString KEPT ${LANG_SIMPCHINESE} "将卸载 Loopdeck。您的设置和循环的历史记录保留在 $APPDATA\loopdeck 中；如果不再需要，请删除该文件夹。"
LangString KEPT ${LANG_JAPANESE} "Loopdeck をアンインストールします。設定とループの履歴は $APPDATA\loopdeck に残ります。不要な場合は、そのフォルダーを削除してください。"
LangString NO_WEBVIEW ${LANG_ENGLISH} "The window of Loopdeck needs Microsoft Edge WebView2, which is not on this computer. Open the page where you can get it? The command line works without it."
LangString NO_WEBVIEW ${LANG_SIMPCHINESE} "Loopdeck 的窗口需要 Microsoft Edge WebView2，而此计算机上没有。要打开下载页面吗？命令行不需要它。"
LangString NO_WEBVIEW ${LANG_JAPANESE} "Loopdeck のウィンドウには Microsoft Edge WebView2 が必要ですが、このコンピューターにはありません。ダウンロードページを開きますか？コマンドラインには必要ありません。"
LangString LONG_PATH ${LANG_ENGLISH} "PATH is too long to be changed safely. To use the command line, add this folder yourself: $INSTDIR"
LangString LONG_PATH ${LANG_SIMPCHINESE} "PATH 太长，无法安全更改。要使用命令行，请自行添加此文件夹：$INSTDIR"
LangString LONG_PATH ${LANG_JAPANESE} "PATH が長すぎるため、安全に変更できません。コマンドラインを使うには、このフォルダーを追加してください：$INSTDIR"
LangString OPEN_HERE ${LANG_ENGLISH} "Open in Loopdeck"
LangString OPEN_HERE ${LANG_SIMPCHINESE} "在 Loopdeck 中打开"
LangString OPEN_HERE ${LANG_JAPANESE} "Loopdeck で開く"

; Puts the person's PATH into $0, and whether it can be changed into $1: "whole", "none", or "long".
; A value that doesn't fit into a string of NSIS is read as nothing at all: writing that back would lose it.
!macro ReadPath
  StrCpy $1 "none"
  StrCpy $2 0
  ${Do}
    EnumRegValue $3 HKCU "Environment" $2
    IntOp $2 $2 + 1
    ${If} $3 == "Path"
      StrCpy $1 "long"
    ${EndIf}
  ${LoopUntil} $3 == ""
  ReadRegStr $0 HKCU "Environment" "Path"
  StrLen $2 $0
  ${If} $0 != ""
  ${AndIf} $2 < 700
    StrCpy $1 "whole"
  ${EndIf}
!macroend

; Programs that start from now on see what changed.
!macro TellPath
  SendMessage ${HWND_BROADCAST} ${WM_SETTINGCHANGE} 0 "STR:Environment" /TIMEOUT=5000
!macroend

Section
  SetOutPath "$INSTDIR"
  File loopdeck-desktop.exe
  File loopdeck.exe
  File WebView2Loader.dll
  File Licences.txt
  CreateShortcut "$SMPROGRAMS\Loopdeck.lnk" "$INSTDIR\loopdeck-desktop.exe"

  !insertmacro ReadPath
  ${If} $1 == "whole"
    ${WordReplace} ";$0;" ";$INSTDIR;" ";" "+" $2
    ${If} $2 == ";$0;"
      WriteRegExpandStr HKCU "Environment" "Path" "$0;$INSTDIR"
      !insertmacro TellPath
    ${EndIf}
  ${ElseIf} $1 == "none"
    WriteRegExpandStr HKCU "Environment" "Path" "$INSTDIR"
    !insertmacro TellPath
  ${Else}
    DetailPrint "$(LONG_PATH)"
    MessageBox MB_OK|MB_ICONINFORMATION "$(LONG_PATH)" /SD IDOK
  ${EndIf}

  WriteRegStr HKCU "Software\Classes\loopdeck" "" "URL:Loopdeck"
  WriteRegStr HKCU "Software\Classes\loopdeck" "URL Protocol" ""
  WriteRegStr HKCU "Software\Classes\loopdeck\shell\open\command" "" '"$INSTDIR\loopdeck-desktop.exe" "%1"'
  WriteRegStr HKCU "Software\Classes\Directory\shell\Loopdeck" "" "$(OPEN_HERE)"
  WriteRegStr HKCU "Software\Classes\Directory\shell\Loopdeck" "Icon" "$INSTDIR\loopdeck-desktop.exe"
  WriteRegStr HKCU "Software\Classes\Directory\shell\Loopdeck\command" "" '"$INSTDIR\loopdeck-desktop.exe" "%V"'

  WriteUninstaller "$INSTDIR\uninstall.exe"
  WriteRegStr HKCU "${KEY}" "DisplayName" "Loopdeck"
  WriteRegStr HKCU "${KEY}" "DisplayVersion" "@VERSION@"
  WriteRegStr HKCU "${KEY}" "DisplayIcon" "$INSTDIR\loopdeck-desktop.exe"
  WriteRegStr HKCU "${KEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${KEY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${KEY}" "EstimatedSize" @SIZE@
  WriteRegDWORD HKCU "${KEY}" "NoModify" 1
  WriteRegDWORD HKCU "${KEY}" "NoRepair" 1

  ReadRegStr $0 HKLM "SOFTWARE\WOW6432Node\${WEBVIEW}" "pv"
  ${If} $0 == ""
    ReadRegStr $0 HKCU "Software\${WEBVIEW}" "pv"
  ${EndIf}
  ${If} $0 == ""
  ${OrIf} $0 == "0.0.0.0"
    DetailPrint "${WEBVIEW_AT}"
    MessageBox MB_YESNO|MB_ICONINFORMATION "$(NO_WEBVIEW)" /SD IDNO IDNO +2
    ExecShell "open" "${WEBVIEW_AT}"
  ${EndIf}
SectionEnd

Section "Uninstall"
  !insertmacro ReadPath
  ${If} $1 == "whole"
    ${WordReplace} ";$0;" ";$INSTDIR;" ";" "+" $2
    ; Without the signs around it.
    StrCpy $2 $2 -1 1
    ${If} $2 != $0
      ${If} $2 == ""
        DeleteRegValue HKCU "Environment" "Path"
      ${Else}
        WriteRegExpandStr HKCU "Environment" "Path" "$2"
      ${EndIf}
      !insertmacro TellPath
    ${EndIf}
  ${EndIf}
  DeleteRegKey HKCU "Software\Classes\loopdeck"
  DeleteRegKey HKCU "Software\Classes\Directory\shell\Loopdeck"
  DeleteRegKey HKCU "${KEY}"
  Delete "$SMPROGRAMS\Loopdeck.lnk"
  Delete "$INSTDIR\loopdeck-desktop.exe"
  Delete "$INSTDIR\loopdeck.exe"
  Delete "$INSTDIR\WebView2Loader.dll"
  Delete "$INSTDIR\Licences.txt"
  ; The program that was started ends while this copy of it runs.
  ${For} $2 1 50
    ClearErrors
    Delete "$INSTDIR\uninstall.exe"
    ${IfNot} ${Errors}
      ${Break}
    ${EndIf}
    Sleep 100
  ${Next}
  RMDir "$INSTDIR"
  DetailPrint "$(KEPT)"
SectionEnd
