{{- /* The name of a path's volume: /var/lib/cni is host-var-lib-cni. */ -}}
{{- define "hostgc.volume" -}}
host{{ . | lower | replace "/" "-" | replace "." "-" | replace "_" "-" | trunc 58 | trimSuffix "-" }}
{{- end }}

{{- /* Before Kubernetes 1.30 the AppArmor profile was an annotation. */ -}}
{{- define "hostgc.appArmorField" -}}
{{- if semverCompare ">=1.30.0-0" .Capabilities.KubeVersion.Version }}true{{ end }}
{{- end }}

{{- define "hostgc.podAnnotations" -}}
{{- if and .Values.appArmorUnconfined (not (include "hostgc.appArmorField" .)) }}
container.apparmor.security.beta.kubernetes.io/hostgc: unconfined
{{- end }}
{{- with .Values.podAnnotations }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "hostgc.securityContext" -}}
runAsUser: 0
runAsGroup: 0
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
  add: {{ include "hostgc.capabilities" . }}
seccompProfile:
  type: RuntimeDefault
{{- if and .Values.appArmorUnconfined (include "hostgc.appArmorField" .) }}
appArmorProfile:
  type: Unconfined
{{- end }}
{{- with .Values.seLinuxOptions }}
seLinuxOptions: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
