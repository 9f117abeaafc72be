/** The style sheet that only the reference page has. The page also has the style sheet that all pages share. */
export const STYLE = `
main{max-width:none;padding:0;display:grid;grid-template-columns:minmax(0,1fr)}
.brand{margin:0;padding:1rem 1.25rem;border-bottom:1px solid var(--line);grid-column:1/-1}
nav{padding:1rem 1.25rem;border-bottom:1px solid var(--line);font-size:.9rem}
nav summary{font-weight:600;cursor:pointer}nav a{text-decoration:none;color:var(--ink);display:block;padding:.2rem 0}nav a:hover{text-decoration:underline}
nav ul{margin:.2rem 0 1rem;gap:0}nav h2{font-size:.9rem;margin:1rem 0 0}
.content{padding:1.5rem 1.25rem 4rem;max-width:56rem;min-width:0}
.content ul{list-style:disc;padding-left:1.2rem;gap:.2rem;color:var(--soft);margin:.3rem 0 1.2rem}
h2{margin-top:3.5rem;font-size:1.6rem}h3{margin:2.6rem 0 .3rem;font-size:1.25rem}h4{font-size:1.05rem;margin:0 0 .3rem}section h3{margin-top:0;font-size:1.05rem}h5{font-size:.9rem;margin:1rem 0 .2rem}
h2,h3,h4{scroll-margin-top:1rem;line-height:1.3}h4 a{color:inherit;text-decoration:none}h4 a:hover{text-decoration:underline}h5+p{margin:.2rem 0}
section{border-top:1px solid var(--line);padding:1.4rem 0}
code,pre,.route{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
pre{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.7rem .9rem;margin:.3rem 0;white-space:pre-wrap}
pre .comment{color:var(--soft)}
.route{margin:0 0 .5rem;color:var(--ink)}.route b{display:inline-block;border:1px solid var(--line);border-radius:.4rem;padding:0 .45rem;margin-right:.4rem;background:var(--card)}
dl{margin:.3rem 0;display:grid;grid-template-columns:minmax(0,1fr);gap:.1rem .9rem}dt{font-weight:600}dd{margin:0 0 .5rem;color:var(--soft)}
dd p{margin:0}dd code,dt code{color:var(--ink)}
table{border-collapse:collapse;width:100%;font-size:.9rem}th,td{text-align:left;vertical-align:top;border-bottom:1px solid var(--line);padding:.35rem .6rem .35rem 0}td:nth-child(3){color:var(--soft)}
:target{outline:2px solid var(--accent);outline-offset:.2rem;border-radius:.2rem}
@media(min-width:60rem){nav details::details-content{content-visibility:visible;display:block}nav summary{display:none}main{grid-template-columns:18rem minmax(0,1fr)}nav{border:0;border-right:1px solid var(--line);position:sticky;top:0;height:100vh;overflow-y:auto}
.content{padding:2rem 3rem 6rem}dl{grid-template-columns:minmax(6rem,12rem) minmax(0,1fr)}}`;
