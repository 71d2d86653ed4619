import { readFileSync } from 'node:fs'
import { openBrowser } from './browser.js'

const [out, cols, w, ...files] = process.argv.slice(2)
const b = await openBrowser()
const p = await b.newPage({ viewport: { width: Number(cols) * (Number(w) + 8), height: 600 } })
await p.setContent(
  `<body style="margin:0;display:grid;grid-template-columns:repeat(${cols},${w}px);gap:8px;background:#888">${files.map((f) => `<figure style="margin:0"><figcaption style="font:12px sans-serif">${f.split('/').pop()}</figcaption><img style="width:${w}px" src="data:image/png;base64,${readFileSync(f).toString('base64')}"></figure>`).join('')}</body>`,
)
await p.waitForTimeout(300)
await p.screenshot({ path: out, fullPage: true })
await b.close()
