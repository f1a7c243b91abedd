@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

/// Times of day and dates in a graph file, which become durations from the submission.
extension GraphBuilder {
    /// The wait until the value of `begin`; nil for null, which is no wait.
    func begin(at node: Int) throws(GraphFileError) -> Duration? {
        guard tree.nodes[node].kind != .null else { return nil }
        let expected = "\(WrittenTime.forms), in quotes"
        let text = try string(at: node, expected)
        guard let time = WrittenTime(text) else {
            throw error("expected \(expected), found \"\(text.asShown)\"", at: node)
        }
        return try wait(until: time, written: text, at: node)
    }

    /// A deadline: a duration from the submission, or the wait until a time.
    func deadline(at node: Int) throws(GraphFileError) -> Duration {
        let expected = "\(OptionForm.deadlineForms), in quotes"
        let text = try string(at: node, expected)
        guard let duration = Duration(text: text) else {
            guard let time = WrittenTime(text) else {
                throw error("expected \(expected), found \"\(text.asShown)\"", at: node)
            }
            return try wait(until: time, written: text, at: node)
        }
        guard duration > .zero else { throw error(OptionForm.deadlineRule, at: node) }
        return duration
    }

    /// Refuses an object that has a delay beside its `begin`, because both say when an operation may start.
    ///
    /// - Parameters:
    ///   - begin: the member with the `begin`.
    ///   - object: the object of both.
    func refuseDelay(beside begin: Int, in object: Int) throws(GraphFileError) {
        for member in tree.keys(of: object) {
            let key: OperationKey = try key(at: member)
            guard key.rawValue == "delay" else { continue }
            throw error("give one of \"begin\" and \"delay\", not both", at: begin)
        }
    }

    private func wait(until time: WrittenTime, written text: String, at node: Int) throws(GraphFileError) -> Duration {
        guard let present = options.present else {
            throw error("a time such as \"\(text.asShown)\" cannot be used here; give a duration", at: node)
        }
        guard let wait = time.wait(at: present) else {
            let objection = time.objection(at: present) ?? "has passed"
            throw error("the time \"\(text.asShown)\" \(objection)", at: node)
        }
        return wait
    }
}
