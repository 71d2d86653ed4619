import type { ReactNode } from 'react'
import { Link } from 'wouter'

/** Shows the parent and the name of a page; narrow pages have room for the name only. */
export const Breadcrumbs = ({
  parent,
  href,
  children,
}: {
  parent: ReactNode
  href: string
  children: ReactNode
}) => (
  <div className="breadcrumbs">
    <Link href={href} className="quiet only-wide">
      {parent}
    </Link>
    <span className="quiet only-wide">/</span>
    <h1 className="clip">
      <bdi>{children}</bdi>
    </h1>
  </div>
)
