// Draws pages of a PDF, in a separate worker: PDFium as WebAssembly, which has no scripts, no forms, no network, and no
// access to the page. A hostile file can reach the worker, and nothing beyond it.
import { init } from '@embedpdf/pdfium'
import type { FromEngine, ToEngine } from './messages.js'

/** PDFium's own constants: four bytes a pixel in the order of a canvas, with annotations. */
const BGRA = 4
const ANNOTATIONS = 0x01
const RGBA_ORDER = 0x10
const WHITE = 0xffffffff
/** A page may claim any size; larger ones are scaled down. */
const MAX_PIXELS = 8_000_000

const answer = (message: FromEngine, transfer: Transferable[] = []) =>
  postMessage(message, { transfer })

const open = async (wasmBinary: ArrayBuffer, content: ArrayBuffer) => {
  const pdfium = await init({ wasmBinary })
  pdfium.PDFiumExt_Init()
  const { wasmExports } = pdfium.pdfium
  const held = wasmExports.malloc(content.byteLength)
  // Read each time, as the memory moves when it grows. Missing in the types.
  const memory = () => (pdfium.pdfium as unknown as { HEAPU8: Uint8Array }).HEAPU8
  memory().set(new Uint8Array(content), held)
  const file = pdfium.FPDF_LoadMemDocument(held, content.byteLength, '')
  if (file === 0) throw new Error('it is damaged, or needs a password')
  const draw = (place: number, width: number) => {
    const page = pdfium.FPDF_LoadPage(file, place)
    if (page === 0) throw new Error('the page is damaged')
    try {
      const [natural, tall] = [pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)]
      if (!(natural > 0 && tall > 0)) throw new Error('the page has no size')
      const scale = Math.min(width / natural, Math.sqrt(MAX_PIXELS / (natural * tall)))
      const size = {
        width: Math.max(1, Math.floor(natural * scale)),
        height: Math.max(1, Math.floor(tall * scale)),
      }
      const stride = size.width * 4
      const pixels = wasmExports.malloc(stride * size.height)
      const bitmap = pdfium.FPDFBitmap_CreateEx(size.width, size.height, BGRA, pixels, stride)
      try {
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, size.width, size.height, WHITE)
        const flags = ANNOTATIONS | RGBA_ORDER
        pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, size.width, size.height, 0, flags)
        return { ...size, pixels: memory().slice(pixels, pixels + stride * size.height) }
      } finally {
        pdfium.FPDFBitmap_Destroy(bitmap)
        wasmExports.free(pixels)
      }
    } finally {
      pdfium.FPDF_ClosePage(page)
    }
  }
  return { pages: pdfium.FPDF_GetPageCount(file), draw }
}

let opened: ReturnType<typeof open> | undefined

addEventListener('message', async ({ data }: MessageEvent<ToEngine>) => {
  try {
    if (data.ask === 'open') {
      opened = open(data.engine, data.content)
      answer({ tells: 'opened', pages: (await opened).pages })
    } else if (opened !== undefined) {
      const { draw } = await opened
      const { pixels, ...size } = draw(data.place, data.width)
      answer({ tells: 'drawn', place: data.place, ...size, pixels: pixels.buffer }, [pixels.buffer])
    }
  } catch (error) {
    answer({ tells: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
})
