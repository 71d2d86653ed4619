import { copyText } from '../browser/clipboard.js'
import { useToast } from './toasts.js'

/** Returns a function that copies a text, and says so; also that it could not, as something else would be pasted later. */
export const useCopy = () => {
  const showToast = useToast()
  return async (text: string, success?: string): Promise<boolean> => {
    const isCopied = await copyText(text)
    if (!isCopied)
      showToast('Nothing is copied: the browser does not allow it here. Select the text instead.')
    else if (success !== undefined) showToast(success)
    return isCopied
  }
}
