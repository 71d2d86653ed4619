import ts from 'typescript'

/** Compiles programs as users of Node do. Returns the errors, each with its file. */
export const compileErrors = (
  files: readonly string[],
  options: ts.CompilerOptions = {},
): { file: string; message: string }[] => {
  const program = ts.createProgram(files, {
    strict: true,
    noEmit: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    skipLibCheck: true,
    types: ['node'],
    ...options,
  })
  return ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => ({
    file: file?.fileName ?? '',
    message: ts.flattenDiagnosticMessageText(messageText, '\n'),
  }))
}
