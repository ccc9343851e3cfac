/** One line style, 1.5 px in a 16 px box. */
export const ICONS = {
  list: "M2.5 4h11M2.5 8h11M2.5 12h11",
  bell: "M8 2.2c2.3 0 3.8 1.7 3.8 4v2.6l1.4 2.2H2.8l1.4-2.2V6.2c0-2.3 1.5-4 3.8-4ZM6.6 13.3a1.5 1.5 0 0 0 2.8 0",
  folder: "M2 4.5V12a1 1 0 0 0 1 1h10a1 1 0 0 0 1-1V6a1 1 0 0 0-1-1H8L6.5 3.5H3a1 1 0 0 0-1 1Z",
  plus: "M8 3v10M3 8h10",
  gear: "M8 5.8a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4.4ZM8 1.8v1.7M8 12.5v1.7M1.8 8h1.7M12.5 8h1.7M3.6 3.6l1.2 1.2M11.2 11.2l1.2 1.2M12.4 3.6l-1.2 1.2M4.8 11.2l-1.2 1.2",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM10.3 10.3l3.5 3.5",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  stop: "M4 4h8v8H4z",
  chevron: "M6 3.5 10.5 8 6 12.5",
  down: "M3.5 6 8 10.5 12.5 6",
  close: "M4 4l8 8M12 4l-8 8",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  open: "M9 2.5h4.5V7M13.5 2.5 7.5 8.5M11.5 9v4.5h-9v-9H7",
  command: "M2.5 4.5 6 8l-3.5 3.5M7.5 12h6",
  clock: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM8 5v3.2l2.2 1.6",
  sort: "M4.5 3v10M2.5 11l2 2 2-2M11.5 13V3M9.5 5l2-2 2 2",
  columns: "M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10",
  undo: "M3 6.5h6.5a3.5 3.5 0 0 1 0 7H6M5.5 4 3 6.5 5.5 9",
  tick: "m3 8.5 3.3 3.3L13 4.5",
} as const;

export type IconName = keyof typeof ICONS;
