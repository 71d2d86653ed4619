// `stepwell serve` from the sources, for tests that need the service as a process.
import { serve } from '../../src/index.js'

process.exitCode = await serve(process.argv.slice(2))
