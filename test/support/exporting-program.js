// Records one step, and exits at once.
import { StepwellClient } from 'stepwell'
import { otlp } from 'stepwell/otlp'

const [, , apiUrl, url] = process.argv
const stepwell = new StepwellClient({ apiKey: 'k', apiUrl, exporters: [otlp({ url })] })
stepwell.trace('last', () => 1)
process.exit(7)
