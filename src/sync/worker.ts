import { runAsWorker } from 'synckit'
import { handle } from './handle.js'

runAsWorker(handle)
