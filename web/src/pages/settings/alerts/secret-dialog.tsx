import { Dialog } from '../../../ui/dialog.js'
import { Snippet } from '../../../ui/snippet.js'

/** Shows the secret that signs calls, once. */
export const SecretDialog = ({ secret, onClose }: { secret: string; onClose: () => void }) => (
  <Dialog title="The secret of the webhook" onClose={onClose}>
    <div className="column" style={{ width: 'min(520px, 80vw)' }}>
      <p>
        It signs the calls, by the specification of Standard Webhooks. Copy it if the receiver
        verifies them: it is not shown again.
      </p>
      <Snippet code={secret} />
      <div>
        <button type="button" className="button primary" onClick={onClose}>
          Done
        </button>
      </div>
    </div>
  </Dialog>
)
