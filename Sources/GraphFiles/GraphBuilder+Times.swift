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
            guard !Duration.isTooLong(text) else { throw error(OptionForm.longestDeadlineRule, at: node) }
            guard let time = WrittenTime(text) else {
                throw error("expected \(expected), found \"\(text.asShown)\"", at: node)
            }
            return try wait(until: time, written: text, at: node)
        }
        guard duration > .zero else { throw error(OptionForm.deadlineRule, at: node) }
        return duration
    }

    /// Whether a `begin` sets the delay of its object, once the other keys are read: not if it is null beside a `delay`.
    ///
    /// Both say when an operation may start, so an object with a time and a duration is refused. A null beside the other one takes
    /// a default back.
    ///
    /// - Parameters:
    ///   - begin: the member with the `begin`.
    ///   - object: the object of both.
    func setsDelay(begin: Int, in object: Int) throws(GraphFileError) -> Bool {
        for member in tree.keys(of: object) {
            let key: OperationKey = try key(at: member)
            guard key.rawValue == "delay" else { continue }
            guard tree.nodes[begin + 1].kind != .null else { return false }
            guard tree.nodes[member + 1].kind == .null else {
                throw error("give one of \"begin\" and \"delay\", not both", at: begin)
            }
        }
        return true
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
