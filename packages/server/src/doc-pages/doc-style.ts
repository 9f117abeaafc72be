/** The style sheet of the documentation. The pages also have the style sheet that all pages of the service share. */
export const STYLE = `
main{max-width:none;padding:0;display:grid;grid-template-columns:minmax(0,1fr)}
.brand{margin:0;padding:1rem 1.25rem;border-bottom:1px solid var(--line);grid-column:1/-1}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;background:var(--card);padding:.5rem .8rem;z-index:1}
nav{padding:1rem 1.25rem;border-bottom:1px solid var(--line);font-size:.9rem;min-width:0}
nav summary{font-weight:600;cursor:pointer;margin-top:.7rem}nav a{text-decoration:none;color:var(--ink);display:block;padding:.25rem .5rem;border-radius:.4rem}
nav a:hover{background:var(--card)}nav a[aria-current]{background:var(--card);color:var(--accent);font-weight:600}
nav ul{margin:.1rem 0 1rem;gap:0}nav ul ul{margin:.1rem 0 .4rem .6rem;border-left:1px solid var(--line);padding-left:.3rem}nav ul ul a{color:var(--soft)}
nav h2{font-size:.8rem;margin:1rem .5rem 0;color:var(--soft)}
nav form{display:flex;gap:.4rem}nav input{padding:.45rem .65rem;min-width:0}nav .button{margin:0;padding:.4rem .8rem;flex:none}
.content{padding:1.75rem 1.25rem 4rem;max-width:76rem;min-width:0}
.content :is(p,li){color:var(--ink);max-width:44rem}.content li{padding-left:.2rem}
.content ul,.content ol{list-style:disc;padding-left:1.3rem;gap:.3rem;margin:.4rem 0 1.2rem}.content ol{list-style:decimal;display:grid}
.content .pages{list-style:none;padding:0;gap:.6rem;margin:.6rem 0 1.6rem;max-width:54rem}.pages.grid{grid-template-columns:repeat(auto-fill,minmax(min(100%,20rem),1fr))}.content .pages li{max-width:none;padding:0}.pages small{font-size:.925rem}
h1{font-size:clamp(1.6rem,5vw,2.1rem)}h2{margin-top:2.8rem;font-size:1.4rem}h3{margin:2rem 0 .3rem;font-size:1.12rem}h4{margin:1.4rem 0 .2rem;font-size:1rem}
h2,h3,h4{line-height:1.3;scroll-margin-top:1rem;text-wrap:balance}
.anchor{margin-left:.4rem;text-decoration:none;color:var(--soft);opacity:0}:is(h2,h3,h4):hover .anchor,.anchor:focus{opacity:1}
:target{outline:2px solid var(--accent);outline-offset:.3rem;border-radius:.2rem}
code,pre{font:.875em/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
:not(pre)>code{box-decoration-break:clone;background:var(--card);border:1px solid var(--line);border-radius:.35rem;padding:.05rem .3rem}
figure{margin:.8rem 0 1.4rem;position:relative;max-width:54rem}figcaption{font:.8rem ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;color:var(--soft);margin-bottom:.3rem}
pre{background:var(--card);border:1px solid var(--line);border-radius:.7rem;padding:.85rem 1rem;margin:0;overflow-x:auto;overflow-wrap:normal}pre code{font-size:1em}
.copy{position:absolute;right:.45rem;bottom:.45rem;font:600 .78rem system-ui,sans-serif;color:var(--soft);background:var(--paper);border:1px solid var(--line);border-radius:.45rem;padding:.3rem .6rem;cursor:pointer}
.copy:hover,.copy:focus-visible{color:var(--accent)}@media(hover:hover){figure:not(:hover) .copy:not(:focus-visible){opacity:0}}
.table{overflow-x:auto;margin:.8rem 0 1.4rem}table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;vertical-align:top;border-bottom:1px solid var(--line);padding:.45rem .8rem .45rem 0;min-width:6rem;overflow-wrap:break-word}th{color:var(--soft)}
.links a{white-space:nowrap}
@media(min-width:60rem){nav details::details-content{content-visibility:visible;display:block}nav summary{display:none}main{grid-template-columns:17rem minmax(0,1fr)}
nav{border:0;border-right:1px solid var(--line);position:sticky;top:0;height:100vh;overflow-y:auto}.content{padding:2rem 3rem 6rem}}`;
