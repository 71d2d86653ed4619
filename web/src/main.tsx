import './styles/tokens.css'
import './styles/base.css'
import './ui/ui.css'
import './shell/shell.css'
import './styles/print.css'
import './styles/forced-colors.css'
import { createRoot } from 'react-dom/client'
import { Provider } from 'urql'
import { Router } from 'wouter'
import { App } from './app.js'
import { keepComposing } from './browser/composing.js'
import { applyPreferences } from './browser/preferences.js'
import { client } from './data/client.js'
import { at, BASE, isBelow } from './format/base.js'

keepComposing()
applyPreferences()
const root = document.getElementById('root')
const { pathname, search, hash } = window.location
// By the service's own address, and not by that of the proxy before it.
if (!isBelow(pathname)) window.location.replace(`${at(pathname)}${search}${hash}`)
else if (root !== null)
  createRoot(root).render(
    <Provider value={client}>
      <Router base={BASE}>
        <App />
      </Router>
    </Provider>,
  )
