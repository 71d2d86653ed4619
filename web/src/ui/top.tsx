import { type ReactNode, useEffect } from 'react'
import { Icon } from './icons.js'

/** The bar at the top of a page: its title and its actions. */
export const Top = ({ title, children }: { title: ReactNode; children?: ReactNode }) => {
  useEffect(() => {
    const heading = document.querySelector('.top h1')?.textContent
    document.title = heading ? `${heading.slice(0, 100)} · Stepwell` : 'Stepwell'
  })
  return (
    <header className="top">
      <button
        type="button"
        className="button plain only-narrow"
        aria-label="Pages"
        onClick={() => document.dispatchEvent(new Event('stepwell-menu'))}
      >
        <Icon name="menu" />
      </button>
      {typeof title === 'string' ? <h1 className="clip">{title}</h1> : title}
      {children}
    </header>
  )
}
