import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

// The promises of the tokens: readable text, and types of steps that can be told apart.
const css = readFileSync(new URL('../src/styles/tokens.css', import.meta.url), 'utf8')
const tokens = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(
    ([, name = '', light = '', dark = '']) => [name, { light, dark }],
  ),
)
type Theme = 'light' | 'dark'
const linear = (hex: string): number[] =>
  [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
const luminance = (hex: string): number => {
  const [r = 0, g = 0, b = 0] = linear(hex)
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
const colour = (name: string, theme: Theme): string => tokens.get(name)?.[theme] ?? ''
const contrast = (a: string, b: string): number => {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (high + 0.05) / (low + 0.05)
}
/** Machado and others, 2009, full severity, on linear light. */
const SIGHT: Record<string, number[][]> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}
const oklab = ([r = 0, g = 0, b = 0]: number[]): number[] => {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ]
}
const distance = (a: string, b: string, sight: string): number => {
  const seen = (hex: string) =>
    oklab(
      (SIGHT[sight] ?? []).map((row) =>
        Math.min(
          1,
          Math.max(
            0,
            linear(hex).reduce((sum, value, at) => sum + value * (row[at] ?? 0), 0),
          ),
        ),
      ),
    )
  const [first, second] = [seen(a), seen(b)]
  return 100 * Math.hypot(...first.map((value, at) => value - (second[at] ?? 0)))
}

const TYPES = ['type-message', 'type-llm', 'type-tool', 'type-retrieval', 'type-run', 'error-mark']

test.each(['light', 'dark'] as const)('%s: text has 4.5 to 1, marks have 3 to 1', (theme) => {
  for (const text of ['fg', 'fg-2', 'fg-3', 'accent', 'good', 'bad'])
    for (const ground of ['bg', 'raised', 'selected'])
      expect(
        contrast(colour(text, theme), colour(ground, theme)),
        `${text} on ${ground}`,
      ).toBeGreaterThanOrEqual(4.5)
  for (const mark of [...TYPES, 'line-strong', 'warn'])
    for (const ground of ['bg', 'selected'])
      expect(
        contrast(colour(mark, theme), colour(ground, theme)),
        `${mark} on ${ground}`,
      ).toBeGreaterThanOrEqual(3)
})

test.each(['light', 'dark'] as const)(
  '%s: the kinds of steps can be told apart, with any colour vision',
  (theme) => {
    for (const sight of Object.keys(SIGHT))
      for (const [at, one] of TYPES.entries())
        for (const other of TYPES.slice(at + 1))
          expect(
            distance(colour(one, theme), colour(other, theme), sight),
            `${one}, ${other}, ${sight}`,
          ).toBeGreaterThan(10)
  },
)
