import { line } from '../format/text.js'
import type { ChartProps } from './chart-props.js'

const MARGIN = 12
const TEXT = 20

/** Draws a chart with its title, finding and legend. */
const draw = (
  plot: HTMLCanvasElement,
  figure: HTMLElement,
  { title, unit, caption, lines }: ChartProps,
): HTMLCanvasElement => {
  const scale = plot.width / plot.clientWidth
  const canvas = document.createElement('canvas')
  const width = plot.clientWidth + 2 * MARGIN
  canvas.width = width * scale
  const marks = [...figure.querySelectorAll('.chart-key i')].map(
    (mark) => getComputedStyle(mark).backgroundColor,
  )
  const style = getComputedStyle(figure)
  const paper = getComputedStyle(document.body).backgroundColor
  const fontOf = (weight: number) => `${weight} 13px ${style.fontFamily}`
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('the browser draws nothing')
  context.font = fontOf(400)
  // The place of each name of the legend, which goes on in the next line when it is full.
  const places: { x: number; y: number; name: string }[] = []
  let [x, y] = [0, 0]
  for (const { name } of lines.slice(0, marks.length)) {
    const shown = line(name, 40)
    const needed = 14 + context.measureText(shown).width
    if (x > 0 && x + needed > plot.clientWidth) [x, y] = [0, y + TEXT]
    places.push({ x, y, name: shown })
    x += needed + 16
  }
  const top = MARGIN + 2 * TEXT
  const legend = top + plot.clientHeight + 4
  canvas.height = (legend + y + TEXT + MARGIN) * scale
  context.scale(scale, scale)
  context.fillStyle = paper
  context.fillRect(0, 0, width, canvas.height)
  context.fillStyle = style.color
  context.textBaseline = 'middle'
  context.font = fontOf(600)
  context.fillText([title, unit].filter(Boolean).join(' '), MARGIN, MARGIN + TEXT / 2)
  context.font = fontOf(400)
  context.fillText(caption, MARGIN, MARGIN + TEXT * 1.5)
  context.drawImage(plot, MARGIN, top, plot.clientWidth, plot.clientHeight)
  for (const [index, place] of places.entries()) {
    const middle = legend + place.y + TEXT / 2
    context.fillStyle = marks[index] ?? style.color
    context.fillRect(MARGIN + place.x, middle - 4, 8, 8)
    context.fillStyle = style.color
    context.fillText(place.name, MARGIN + place.x + 14, middle)
  }
  return canvas
}

/** Copies a picture of a chart to the clipboard. Returns false when it was downloaded instead, as the browser allows no copy. */
export const copyPicture = async (
  plot: HTMLCanvasElement,
  figure: HTMLElement,
  props: ChartProps,
): Promise<boolean> => {
  const canvas = draw(plot, figure, props)
  const content = new Promise<Blob>((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob === null ? reject(new Error('it could not be written')) : resolve(blob)),
      'image/png',
    ),
  )
  try {
    // The promise itself, as a browser forgets the click while it waits.
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': content })])
    return true
  } catch {
    saveFile(`${props.title}.png`, await content)
    return false
  }
}

/** Downloads a file. */
export const saveFile = (name: string, content: Blob): void => {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name.replace(/[\\/:*?"<>|]/g, '_')
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
