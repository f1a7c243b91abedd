import BatonOperations

extension GraphBuilder {
    /// An error at a node of the text being read.
    func error(
        _ sentence: String,
        at node: Int,
        code: Refusal.Code = .invalid,
        path: [String] = []
    ) -> GraphFileError {
        error(sentence, at: textPosition(of: node), code: code, path: path)
    }

    /// An error at a place that was noted.
    func error(
        _ sentence: String,
        at position: TextPosition,
        code: Refusal.Code = .invalid,
        path: [String] = []
    ) -> GraphFileError {
        let place = location(of: position)
        return GraphFileError(
            file: options.fileName,
            line: place.line,
            column: place.column,
            sentence: sentence,
            code: code,
            path: path
        )
    }

    /// A text that is not JSON5.
    func error(_ error: JSONSyntaxError) -> GraphFileError {
        self.error(
            error.message,
            at: TextPosition(firstLine: UInt32(clamping: line), offset: UInt32(clamping: error.offset - lineStart))
        )
    }

    /// The place of a node, to be kept.
    func textPosition(of node: Int) -> TextPosition {
        TextPosition(
            firstLine: UInt32(clamping: line),
            offset: UInt32(clamping: Int(tree.nodes[node].start) - lineStart)
        )
    }

    /// Line and column of a place.
    ///
    /// A text that is read whole is still there to be counted through; of one that is read line by line, each place has its
    /// line with it.
    func location(of position: TextPosition) -> (line: Int, column: Int) {
        if tree.partName == "line" { return (Int(position.firstLine), Int(position.offset) + 1) }
        return tree.location(of: Int(position.offset))
    }
}
