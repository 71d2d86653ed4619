import { Component, type ReactNode } from 'react'

/** Contains the failure of one part of a page. */
export class ErrorBoundary extends Component<
  { name: string; children: ReactNode },
  { message: string | undefined }
> {
  override state = { message: undefined }

  static getDerivedStateFromError(error: unknown) {
    return { message: error instanceof Error ? error.message : String(error) }
  }

  override render() {
    const { message } = this.state
    if (message === undefined) return this.props.children
    return (
      <div className="problem" role="alert">
        <p>
          <strong>{this.props.name} can't be shown:</strong> {message}
        </p>
        <button
          type="button"
          className="button small"
          onClick={() => this.setState({ message: undefined })}
        >
          Try again
        </button>
      </div>
    )
  }
}
