import { Dialog } from '../ui/dialog.js'
import { DESTINATIONS } from './destinations.js'

const GROUPS: Record<string, [string, string][]> = {
  Everywhere: [
    ['?', 'these keys'],
    ['Ctrl K', 'find a page, a thread or an id'],
    ['.', 'the actions of the page'],
    ['/', 'filter, or find in a thread'],
    ['Esc', 'one level up'],
  ],
  Lists: [
    ['j k ↓ ↑', 'next, previous row'],
    ['Enter', 'open'],
    ['x', 'select'],
    ['c', 'copy a link to the page'],
  ],
  'A thread': [
    ['↓ ↑', 'row'],
    ['Home End', 'first, last row; in the conversation its beginning and end'],
    ['→ ←', 'open or child, close or parent'],
    ['n p', 'next, previous sibling'],
    ['e E', 'next, previous error'],
    ['f', 'fold or unfold steps that are alike'],
    ['i', 'cut idle time, or show it'],
    ['z 0', 'zoom to the step, show all of the time'],
    ['s', 'score the step'],
    ['d', 'add the step to a dataset'],
    ['1 2 3', 'conversation, steps, the step'],
    ['[ ]', 'previous, next thread of the list'],
  ],
  'Two threads': [['n p', 'next, previous difference']],
  Review: [
    ['1 – 9', 'give a value'],
    ['j k', 'next, previous message of a conversation'],
    ['Esc', 'the whole conversation'],
    ['m', 'comment'],
    ['Enter', 'save and next'],
    ['→ ←', 'skip, back'],
    ['u', 'undo'],
  ],
}

export const HelpDialog = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="Keys" onClose={onClose}>
    <div className="column">
      {Object.entries(GROUPS).map(([name, keys]) => (
        <section key={name}>
          <h2>{name}</h2>
          <div className="keys">
            {keys.map(([key, text]) => (
              <div key={key}>
                <span>{text}</span>
                <kbd>{key}</kbd>
              </div>
            ))}
          </div>
        </section>
      ))}
      <section>
        <h2>Go to</h2>
        <div className="keys">
          {DESTINATIONS.flat().map(({ key, name }) => (
            <div key={key}>
              <span>{name}</span>
              <kbd>g {key}</kbd>
            </div>
          ))}
        </div>
      </section>
      <p className="quiet">Single keys can be switched off in Settings, Appearance.</p>
    </div>
  </Dialog>
)
