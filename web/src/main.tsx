import './styles/tokens.css'
import './styles/base.css'
import './ui/ui.css'
import './shell/shell.css'
import { createRoot } from 'react-dom/client'
import { Provider } from 'urql'
import { App } from './app.js'
import { applyPreferences } from './browser/preferences.js'
import { client } from './data/client.js'

applyPreferences()
const root = document.getElementById('root')
if (root !== null)
  createRoot(root).render(
    <Provider value={client}>
      <App />
    </Provider>,
  )
