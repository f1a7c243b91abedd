import BatonJSON
import BatonOperations

extension GraphBuilder {
    /// Reads the value of `defaults`.
    mutating func readDefaults(at node: Int) throws(GraphFileError) {
        guard tree.nodes[node].kind == .object else { throw wrongType("an object", at: node) }
        for member in tree.keys(of: node) {
            let key: OperationKey = try key(at: member, allowed: \.mayBeDefault)
            _ = try readSetting(key, at: member + 1, into: &defaults)
        }
    }

    /// Reads one setting allowed in operations and in `defaults`; null resets a default.
    ///
    /// - Returns: false for a key of another kind.
    func readSetting(
        _ key: OperationKey,
        at node: Int,
        into settings: inout OperationSettings
    ) throws(GraphFileError) -> Bool {
        let isNull = tree.nodes[node].kind == .null
        switch key {
        case .queue: settings.queue = try name(at: node, of: "queue")
        case .priority: settings.priority = try priority(at: node)
        case .qos: settings.qualityOfService = isNull ? nil : try qualityOfService(at: node)
        case .retries:
            let maximum = Int(UInt16.max)
            let expected = "a whole number between 0 and \(maximum)"
            settings.retries = UInt16(clamping: try integer(at: node, expected, in: 0...maximum))
        case .retryDelay: settings.retryDelay = try duration(at: node)
        case .timeout: settings.timeout = isNull ? nil : try timeout(at: node)
        case .grace: settings.gracePeriod = try gracePeriod(at: node)
        case .delay: settings.delay = isNull ? nil : try duration(at: node)
        case .env: try readEnvironment(at: node, into: &settings.environment)
        case .cwd: settings.directory = isNull ? options.directory : try path(at: node)
        case .stdin: settings.standardInput = isNull ? nil : try path(at: node)
        case .hold: settings.isHeld = try truth(at: node)
        case .barrier: settings.isBarrier = try truth(at: node)
        case .onFinish: settings.onFinish = isNull ? nil : try command(at: node)
        case .restart: settings.restart = try restart(at: node)
        case .name, .command, .commands, .kind, .type, .argument, .array, .eachLine: return false
        case .after, .needs, .onFailure, .cancelled: return false
        }
        return true
    }

    /// Reads the value of `queues`.
    mutating func readQueues(at node: Int) throws(GraphFileError) {
        guard tree.nodes[node].kind == .object else {
            throw wrongType("an object with a member for each queue", at: node)
        }
        for queue in tree.keys(of: node) {
            var change = QueueChange(name: try name(at: queue, of: "queue"))
            guard tree.nodes[queue + 1].kind == .object else { throw wrongType("an object", at: queue + 1) }
            for member in tree.keys(of: queue + 1) {
                let key: QueueKey = try key(at: member)
                switch key {
                case .maxConcurrent:
                    let expected = "a whole number from 0, or -1 for no limit"
                    let limit = try integer(at: member + 1, expected, in: -1...Int(Int32.max))
                    change.maxConcurrent = limit < 0 ? .unlimited : .atMost(limit)
                case .qos:
                    change.qualityOfService = try qualityOfService(at: member + 1)
                case .total:
                    let expected = "a whole number from 1, or 0 for no progress"
                    change.total = try integer(at: member + 1, expected, in: 0...Int(Int32.max))
                }
            }
            queueChanges.append(change)
        }
    }

    private func priority(at node: Int) throws(GraphFileError) -> Priority {
        guard tree.nodes[node].kind == .number else {
            return try word(
                at: node,
                "priority",
                among: Priority.allCases.map(\.description) + ["a whole number"],
                read: Priority.init(_:)
            )
        }
        // The priority is clamped later, so a number beyond veryLow and veryHigh is valid (PR5).
        let number = tree.number(at: node)
        let level = max(-100, min(100, number))
        guard !number.isNaN, Double(Int(level)) == level else {
            throw error("a priority must be a whole number", at: node)
        }
        return Priority(clamping: Int(level))
    }

    private func qualityOfService(at node: Int) throws(GraphFileError) -> QualityOfService {
        try word(
            at: node,
            "quality of service",
            among: QualityOfService.allCases.map(\.description),
            read: QualityOfService.init(_:)
        )
    }

    private func restart(at node: Int) throws(GraphFileError) -> RestartPolicy {
        try word(
            at: node,
            "restart",
            among: RestartPolicy.allCases.map(\.description),
            read: RestartPolicy.init(_:)
        )
    }

    private func gracePeriod(at node: Int) throws(GraphFileError) -> Work.GracePeriod {
        if tree.nodes[node].kind == .string, try string(at: node) == "forever" { return .forever }
        return .after(try duration(at: node))
    }

    /// Adds variables to the variables from `defaults`.
    private func readEnvironment(at node: Int, into environment: inout [String: String]) throws(GraphFileError) {
        guard tree.nodes[node].kind == .object else { throw wrongType("an object with strings", at: node) }
        for member in tree.keys(of: node) {
            let variable = try string(at: member)
            guard !variable.isEmpty, !variable.utf8.contains(UInt8(ascii: "=")) else {
                throw error("\"\(variable)\" is not a name for an environment variable", at: member)
            }
            environment[variable] = try string(at: member + 1, "a string in quotes")
        }
    }
}
