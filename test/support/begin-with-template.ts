// Before each file of tests: databases in memory begin as one that is up to date.
import { beginWith } from '../../server/src/database/engine/engine.js'
import { readTemplate } from './template.js'

beginWith(readTemplate)
