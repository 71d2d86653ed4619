exports.Settings = {}
