import type { StepType } from '../../../generated/schema.js'

/** The icons of the UI: strokes on a grid of 16. Each stands beside a word. */
const PATHS = {
  overview: 'M2.5 13.5h11M4.5 11V7.5M8 11V3.5M11.5 11V6',
  charts: 'M2.5 2.500v11h11M5 10.500l2.700-3.500 2.300 2 3.500-4.500',
  threads: 'M2.5 3h11v7.5H7L4 13v-2.5H2.5z',
  steps: 'M3 3.5h4M5 8h5M8 12.5h5M3 3.5v9M8 8v4.5',
  llm: 'M8 2l1.4 4.1L13.5 8l-4.1 1.9L8 14l-1.4-4.1L2.5 8l4.1-1.9z',
  scores: 'M8 2.3l1.7 3.6 3.9.5-2.9 2.7.8 3.9L8 11.1 4.5 13l.8-3.9L2.4 6.4l3.9-.5z',
  users: 'M8 8a2.7 2.7 0 1 0 0-5.4A2.7 2.7 0 0 0 8 8zM3 13.5c.5-2.6 2.5-4 5-4s4.500 1.400 5 4',
  review: 'M3 8.5l3.2 3.2L13 4.500',
  datasets:
    'M3 4c0-1 2.200-1.700 5-1.700S13 3 13 4s-2.200 1.700-5 1.700S3 5 3 4zm0 0v8c0 1 2.200 1.700 5 1.700s5-.7 5-1.700V4M3 8c0 1 2.200 1.700 5 1.700S13 9 13 8',
  experiments: 'M6 2.500h4M6.700 2.500v4L3 13.500h10L9.300 6.500v-4M4.800 10.500h6.400',
  prompts: 'M3 2.500h10v11H3zM5.500 6h5M5.500 8.500h5M5.500 11h3',
  settings: 'M2.500 4.500h6M11.500 4.500h2M2.500 11.500h2M7.500 11.500h6M10 3v3M6 10v3',
  tool: 'M13.300 4.600a3.300 3.300 0 0 1-4.500 4.100L4.500 13 3 11.500l4.300-4.300a3.300 3.300 0 0 1 4.100-4.500L9.500 4.600l1.900 1.900z',
  retrieval: 'M7 11.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9zM10.300 10.300l3.200 3.200',
  embedding:
    'M4 3v4M12 9v4M4 10.500a1.500 1.250 0 1 0 0 2.500 1.500 1.250 0 0 0 0-2.500M12 3a1.500 2 0 1 0 0 4 1.500 2 0 0 0 0-4M8 3v4M8 9v4',
  rerank: 'M4.500 3v10M2.500 11l2 2 2-2M9 4h5M9 8h3.500M9 12h2',
  run: 'M3 3h4v4H3zM9 9h4v4H9zM5 7v4h4',
  undefined:
    'M8 2.500a5.500 5.500 0 0 1 3 .9M13.300 6a5.500 5.500 0 0 1 0 4M11 12.600a5.500 5.500 0 0 1-6 0M2.700 10a5.500 5.500 0 0 1 0-4M5 3.400',
  user_message:
    'M8 8a2.700 2.700 0 1 0 0-5.400A2.700 2.700 0 0 0 8 8zM3 13.500c.5-2.600 2.500-4 5-4s4.500 1.400 5 4',
  assistant_message: 'M2.500 3h11v7.500H7L4 13v-2.500H2.500z',
  system_message: 'M2.500 4.500h6M11.500 4.500h2M2.500 11.500h2M7.500 11.500h6M10 3v3M6 10v3',
  error: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM6 6l4 4M10 6l-4 4',
  down: 'M4 6.500l4 4 4-4',
  switch: 'M5 6l3-3 3 3M5 10l3 3 3-3',
  right: 'M6.500 4l4 4-4 4',
  left: 'M9.500 4l-4 4 4 4',
  copy: 'M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3',
  close: 'M4 4l8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  menu: 'M2.500 4h11M2.500 8h11M2.500 12h11',
  more: 'M3.500 8h.01M8 8h.01M12.500 8h.01',
  open: 'M9 3h4v4M13 3L7.500 8.500M11.500 9v4h-8.500V4.500h4',
} as const

export type IconName = keyof typeof PATHS

export const Icon = ({ name, className = '' }: { name: IconName; className?: string }) => (
  <svg
    className={`icon ${className}`}
    viewBox="0 0 16 16"
    width="16"
    height="16"
    aria-hidden="true"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.400"
    strokeLinecap="round"
    strokeLinejoin="round"
  >
    <path d={PATHS[name]} />
  </svg>
)

/** Returns the class with the hue of a type; messages share one, and so do all kinds of retrieval. */
export const typeClass = (type: StepType): string => {
  if (type.endsWith('_message')) return 'type-message'
  if (type === 'llm' || type === 'tool') return `type-${type}`
  if (type === 'retrieval' || type === 'embedding' || type === 'rerank') return 'type-retrieval'
  return 'type-run'
}

export const TypeIcon = ({ type }: { type: StepType }) => (
  <Icon name={type} className={typeClass(type)} />
)

export const typeName = (type: StepType): string => type.replace('_', ' ')
