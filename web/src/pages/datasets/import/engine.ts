// Reads a file in a thread of its own: a hundred thousand rows take seconds, in which the page must stay awake.
import { checkSize } from '../../../importing/importing.js'
import type { FromReader, ToReader } from './messages.js'
import { Reader } from './reader.js'

let reader: Reader | undefined
const answer = (message: FromReader) => postMessage(message)

const attend = async (message: ToReader): Promise<void> => {
  if (message.ask === 'read') {
    const { file } = message
    checkSize(file.size)
    reader = new Reader(file.name, new Uint8Array(await file.arrayBuffer()))
    answer({ tells: 'columns', rowCount: reader.rowCount, columns: reader.columns })
  } else if (reader !== undefined && message.ask === 'map')
    answer({ tells: 'mapped', ticket: message.ticket, mapped: reader.map(message.places) })
  else if (reader !== undefined && message.ask === 'items')
    answer({ tells: 'items', ...reader.portion(message.from) })
}

addEventListener('message', ({ data }: MessageEvent<ToReader>) => {
  attend(data).catch((error) =>
    answer({ tells: 'failed', message: error instanceof Error ? error.message : String(error) }),
  )
})
