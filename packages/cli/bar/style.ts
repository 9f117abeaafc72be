/** The style sheet of the bar. With `!important`, the page's own rules cannot change the host element. */
export const STYLE = `
:host {
  all: initial !important; position: fixed !important; right: 12px !important; bottom: 12px !important;
  z-index: 2147483647 !important; display: flex !important; flex-direction: column !important; align-items: flex-end !important;
  gap: 8px !important; max-width: calc(100vw - 24px) !important; color-scheme: light dark !important;
  font: 13px/1.4 system-ui, sans-serif !important; pointer-events: none !important;
  --ink: light-dark(#1d2433, #e9ecf3); --soft: light-dark(#566074, #a9b2c6); --paper: light-dark(#fff, #1c212c);
  --line: light-dark(#d5d8e0, #3a4254); --accent: light-dark(#3f51c9, #9aa8ff); --on-accent: light-dark(#fff, #10142a);
}
@media print { :host { display: none !important; } }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
button, input, a { font: inherit; color: inherit; }
button { cursor: pointer; background: none; border: 0; text-align: left; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
small { color: var(--soft); font-size: 12px; font-weight: 400; }
small:empty { display: none; }
.toggle, .panel, .faults p {
  pointer-events: auto; color: var(--ink); background: var(--paper); border: 1px solid var(--line);
  box-shadow: 0 2px 10px rgb(0 0 0 / .16);
}
.toggle { display: flex; align-items: center; gap: 8px; padding: 3px; border-radius: 999px; max-width: 100%; }
.badge {
  display: grid; place-items: center; width: 26px; height: 26px; border-radius: 50%; flex: none;
  background: var(--accent); color: var(--on-accent); font-size: 11px; font-weight: 650;
}
.badge::before { content: attr(data-initials) / ""; }
.name { display: flex; gap: 6px; align-items: baseline; padding-right: 10px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.name:only-child { padding: 4px 12px; }
.panel { width: 320px; max-width: 100%; max-height: calc(100vh - 80px); overflow: auto; padding: 10px; border-radius: 12px; }
h2 { margin: 2px 6px 6px; font-size: 12px; font-weight: 650; color: var(--soft); }
ul { list-style: none; margin: 0; padding: 0; }
li { display: flex; align-items: center; gap: 4px; }
.person { flex: 1; min-width: 0; display: flex; gap: 6px; align-items: baseline; padding: 6px; border-radius: 8px; overflow: hidden; }
.person:hover, .plain:hover { background: color-mix(in srgb, var(--accent) 12%, transparent); }
.person[aria-current] { font-weight: 650; }
.person[aria-current]::before { content: "✓" / ""; color: var(--accent); }
a { padding: 6px; color: var(--accent); font-size: 12px; white-space: nowrap; border-radius: 8px; }
form { display: flex; gap: 6px; padding: 8px 6px; margin-top: 6px; border-top: 1px solid var(--line); }
input { min-width: 0; flex: 1; padding: 4px 6px; background: transparent; border: 1px solid var(--line); border-radius: 6px; }
form button { padding: 4px 10px; border-radius: 6px; background: var(--accent); color: var(--on-accent); font-weight: 600; }
.plain { padding: 6px; border-radius: 8px; color: var(--soft); }
.faults { display: grid; gap: 6px; max-width: 420px; }
.faults p { margin: 0; padding: 6px 10px; border-radius: 8px; border-left: 4px solid light-dark(#a31621, #ff9aa2); overflow-wrap: anywhere; }
`;
