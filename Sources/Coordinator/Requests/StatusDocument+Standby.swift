@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonStore

extension StatusDocument.Standby {
    /// Shows a coordinator that stands by.
    ///
    /// - Parameter leaderKey: the fingerprint of the leader's key; nil without one.
    init(_ standby: StandbyNotice, leaderKey: String?) {
        self.init(
            address: standby.address,
            host: standby.host.isEmpty ? nil : standby.host,
            since: standby.since,
            sharesKeys: leaderKey == nil && standby.key == nil ? nil : standby.key == leaderKey
        )
    }
}
