@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

extension GraphBuilder {
    /// An error at a node of the current text.
    func error(
        _ sentence: String,
        at node: Int,
        code: GraphFileError.Code = .invalid,
        path: [String] = []
    ) -> GraphFileError {
        error(sentence, at: textPosition(of: node), code: code, path: path)
    }

    /// An error at a stored position.
    func error(
        _ sentence: String,
        at position: TextPosition,
        code: GraphFileError.Code = .invalid,
        path: [String] = []
    ) -> GraphFileError {
        let place = location(of: position)
        return GraphFileError(
            file: options.fileName,
            line: place.line,
            column: place.column,
            code: code,
            message: sentence,
            path: path
        )
    }

    /// An error for a text that is not JSON5.
    func error(_ error: JSONSyntaxError) -> GraphFileError {
        self.error(
            error.message,
            at: TextPosition(firstLine: UInt32(clamping: line), offset: UInt32(clamping: error.offset - lineStart))
        )
    }

    /// The position of a node, in a form that can be stored.
    func textPosition(of node: Int) -> TextPosition {
        TextPosition(
            firstLine: UInt32(clamping: line),
            offset: UInt32(clamping: Int(tree.nodes[node].start) - lineStart)
        )
    }

    /// The line and column of a position.
    ///
    /// For a file read as a whole, the function counts lines in the text. For a file read line by line, earlier text is gone,
    /// so the position contains the line number.
    func location(of position: TextPosition) -> (line: Int, column: Int) {
        if tree.partName == "line" { return (Int(position.firstLine), Int(position.offset) + 1) }
        return tree.location(of: Int(position.offset))
    }
}
