{{- define "hostgc.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "hostgc.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "hostgc.selectorLabels" -}}
app.kubernetes.io/name: {{ include "hostgc.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "hostgc.labels" -}}
{{ include "hostgc.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "hostgc.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "hostgc.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "hostgc.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ default $.Chart.AppVersion .tag }}{{ end }}
{{- end }}
{{- end }}

{{- /* The mode of each kind, as a map. YAML makes a bare off a false. */ -}}
{{- define "hostgc.modes" -}}
{{- range $kind, $_ := .Files.Get "files/kinds.yaml" | fromYaml }}
{{ $kind }}: {{ dig "kinds" $kind "mode" "enforce" $.Values.config | toString | replace "false" "off" | quote }}
{{- end }}
{{- end }}

{{- /* The capabilities that the kinds need which are not off, as a list. */ -}}
{{- define "hostgc.capabilities" -}}
{{- $needed := dict }}
{{- $kinds := .Files.Get "files/kinds.yaml" | fromYaml }}
{{- range $kind, $mode := include "hostgc.modes" . | fromYaml }}
{{- if ne $mode "off" }}
{{- range (index $kinds $kind).capabilities }}{{ $_ := set $needed . true }}{{ end }}
{{- end }}
{{- end }}
{{- default (keys $needed | sortAlpha) .Values.capabilities | toJson }}
{{- end }}

{{- /*
Host paths by whether they are mounted read-only, as a map. The whole root
serves for every other path that is only read.
*/ -}}
{{- define "hostgc.hostPaths" -}}
{{- $reads := dict }}
{{- $writes := dict }}
{{- if .Values.distribution }}
{{- range index (.Files.Get "files/distributions.yaml" | fromYaml) .Values.distribution }}{{ $_ := set $reads . true }}{{ end }}
{{- end }}
{{- $kinds := .Files.Get "files/kinds.yaml" | fromYaml }}
{{- range $kind, $mode := include "hostgc.modes" . | fromYaml }}
{{- if ne $mode "off" }}
{{- range (index $kinds $kind).reads }}{{ $_ := set $reads . true }}{{ end }}
{{- range (index $kinds $kind).writes }}{{ $_ := set (eq $mode "enforce" | ternary $writes $reads) . true }}{{ end }}
{{- end }}
{{- end }}
{{- range .Values.extraHostPaths }}{{ $_ := set (ternary $reads $writes .readOnly) .path true }}{{ end }}
{{- if hasKey $reads "/" }}{{ $reads = dict "/" true }}{{ end }}
{{- $paths := dict }}
{{- range $path, $_ := $reads }}{{ $_ := set $paths $path true }}{{ end }}
{{- range $path, $_ := $writes }}{{ $_ := set $paths $path false }}{{ end }}
{{- $paths | toJson }}
{{- end }}
