@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

extension QueueChange {
    /// The change in the form of the job's `queue_changes`.
    var json: JSONValue {
        var members: [String: JSONValue] = ["name": .string(name)]
        switch maxConcurrent {
        case .atMost(let limit): members["maxConcurrent"] = .integer(Int64(limit))
        case .unlimited: members["maxConcurrent"] = .string("unlimited")
        case nil: break
        }
        if let qualityOfService { members["qualityOfService"] = .string(qualityOfService.description) }
        if let isSuspended { members["isSuspended"] = .integer(isSuspended ? 1 : 0) }
        if let total { members["total"] = .integer(Int64(total)) }
        if let startRate { members["rate"] = .string(startRate.description) }
        return .object(members)
    }

    /// Reads a change; nil for JSON of another form.
    init?(_ json: JSONValue) {
        guard case .object(let members) = json, case .string(let name)? = members["name"] else { return nil }
        self.init(name: name)
        switch members["maxConcurrent"] {
        case .integer(let limit)?: maxConcurrent = .atMost(Int(clamping: limit))
        case .string("unlimited")?: maxConcurrent = .unlimited
        case nil: break
        default: return nil
        }
        if let member = members["qualityOfService"] {
            guard case .string(let word) = member, let named = QualityOfService(word) else { return nil }
            qualityOfService = named
        }
        switch members["isSuspended"] {
        case .integer(0)?: isSuspended = false
        case .integer(1)?: isSuspended = true
        case nil: break
        default: return nil
        }
        if let member = members["total"] {
            guard case .integer(let number) = member else { return nil }
            total = Int(clamping: number)
        }
        if let member = members["rate"] {
            guard case .string(let text) = member, let rate = Rate(text) else { return nil }
            startRate = rate
        }
    }
}
