import Operations

extension ResultSource {
    /// What the file's name is made of, beside the operation's address.
    struct Element {
        /// The name of the entry, where it has one.
        var name: String?
        /// The position in the array; nil where it is none.
        var position: UInt32?
    }

    /// Names the result of an operation for a dependent in a job.
    init(operation: OperationID, of element: Element, seenFrom dependent: JobNumber) {
        var fileName = operation.job == dependent ? "" : "\(operation.job)."
        if let name = element.name {
            fileName += name
            if let position = element.position { fileName += ".\(position)" }
        } else {
            fileName += "\(operation.index)"
        }
        self.init(operation: operation, fileName: fileName)
    }
}
